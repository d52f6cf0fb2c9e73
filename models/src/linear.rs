//! Linear layers with int8 weights.
//!
//! The input rows are quantised at run time to 14 bits a number, each row with its own scale and zero ("dynamic
//! quantisation"), so both sides are integers and the sums are exact. The high and the low seven bits of a row are
//! separate rows of one product, so the weights are read once. Eight bits a number in one row are a third faster, but
//! the vectors have a cosine of only .9997 with those of float32, and find a little less. More than seven bits in a row
//! overflow the integer instructions of processors that have AVX2 but not AVX-512 VNNI: they add two products of a row
//! in 16 bits.
//!
//! Weights are packed for the processor block by block during their first multiplication: keeping them packed would
//! cost the only question of a process 10 MB of fresh memory. From the second multiplication on they are kept packed,
//! which halves the time of a question.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_simd::{Isa, SimdOp};
use rten_tensor::NdTensorView;
use rten_vecmath::MinMax;

use super::Weights;

/// The matrix multiplications.
#[derive(Default)]
pub(crate) struct Multiplication {
    integers: GemmExecutor<u8, i8, i32>,
    pub(crate) floats: GemmExecutor<f32, f32, f32>,
}

/// Reused buffers.
#[derive(Default)]
pub(crate) struct Buffers {
    scaled: Vec<f32>,
    /// The high halves of all rows, the low halves of all rows, and a row of ones, whose product has the sum of each
    /// column.
    halves: Vec<u8>,
    /// The scale and zero of each row.
    codes: Vec<Code>,
    sums: Vec<i32>,
}

/// A quantised number `q` of a row means `(q - zero) * scale`.
#[derive(Clone, Copy)]
struct Code {
    scale: f32,
    zero: f32,
}

/// Int8 weights `[inputs, outputs]` between a scale for each input and one for each output.
pub(crate) struct Linear {
    weights: Bytes,
    /// Whether they were multiplied before.
    is_used: AtomicBool,
    /// From their second multiplication on.
    packed: OnceLock<PackedBMatrix<i8>>,
    in_scale: Vec<f32>,
    out_scale: Vec<f32>,
    bias: Vec<f32>,
}

impl Linear {
    pub(crate) fn read(weights: &mut Weights, name: &str) -> Self {
        Linear {
            weights: weights.int8(&format!("{name}.int8")),
            is_used: AtomicBool::new(false),
            packed: OnceLock::new(),
            in_scale: weights.floats(&format!("{name}.in_scale")),
            out_scale: weights.floats(&format!("{name}.out_scale")),
            bias: weights.floats(&format!("{name}.bias")),
        }
    }

    /// Maps `[rows, inputs]` to `[rows, outputs]`, which replace the contents of `products`.
    pub(crate) fn apply(
        &self,
        rows: &[f32],
        products: &mut Vec<f32>,
        multiplication: &Multiplication,
        buffers: &mut Buffers,
    ) {
        let (inputs, outputs) = (self.in_scale.len(), self.out_scale.len());
        products.resize(rows.len() / inputs * outputs, 0.0);
        self.quantise(rows, buffers);
        let count = 2 * rows.len() / inputs + 1;
        buffers.sums.resize(count * outputs, 0);
        let halves = GemmInputA::Unpacked(NdTensorView::from_data([count, inputs], &buffers.halves[..]));
        let weights = NdTensorView::from_data([inputs, outputs], bytemuck::cast_slice(&self.weights));
        let weights = match self.is_used.swap(true, Ordering::Relaxed) {
            true => GemmInputB::Packed(self.packed.get_or_init(|| multiplication.integers.prepack_b(weights))),
            false => GemmInputB::Unpacked(weights),
        };
        let options = GemmOptions::default();
        multiplication.integers.gemm(&mut buffers.sums, halves, weights, options).expect("the shapes fit together");
        let (high, rest) = buffers.sums.split_at(products.len());
        let (low, of_columns) = rest.split_at(products.len());
        let sums = high.chunks_exact(outputs).zip(low.chunks_exact(outputs)).zip(&buffers.codes);
        for (products, ((high, low), code)) in products.chunks_exact_mut(outputs).zip(sums) {
            let columns = of_columns.iter().zip(&self.out_scale).zip(&self.bias);
            WithVectors(|| {
                for (((product, high), low), ((of_column, scale), bias)) in
                    products.iter_mut().zip(high).zip(low).zip(columns)
                {
                    let sum = *high as f32 * (1 << BITS) as f32 + *low as f32 - code.zero * *of_column as f32;
                    *product = sum * (code.scale * scale) + bias;
                }
            })
            .dispatch();
        }
    }

    /// Scales the rows by `in_scale` and quantises them into `buffers`.
    fn quantise(&self, rows: &[f32], buffers: &mut Buffers) {
        let inputs = self.in_scale.len();
        buffers.codes.clear();
        buffers.scaled.resize(inputs, 0.0);
        buffers.halves.resize(2 * rows.len() + inputs, 0);
        let (high_halves, rest) = buffers.halves.split_at_mut(rows.len());
        let (low_halves, ones) = rest.split_at_mut(rows.len());
        ones.fill(1);
        let halves = high_halves.chunks_exact_mut(inputs).zip(low_halves.chunks_exact_mut(inputs));
        for (row, (high_halves, low_halves)) in rows.chunks_exact(inputs).zip(halves) {
            let scaled = &mut buffers.scaled;
            WithVectors(|| scaled.iter_mut().zip(row).zip(&self.in_scale).for_each(|((to, x), scale)| *to = x * scale))
                .dispatch();
            let (least, most) = MinMax::new(scaled).dispatch();
            let (least, most) = (least.min(0.0), most.max(0.0));
            // The zero is rounded up so that no number rounds below 0; the scale leaves one code free for that. A row
            // of zeros may have any scale.
            let scale = ((most - least) / (LARGEST - 1) as f32).max(f32::MIN_POSITIVE);
            let zero = (-least / scale).ceil();
            let (per_scale, shift) = (scale.recip(), zero + INTEGERS_FROM);
            WithVectors(|| {
                for ((high, low), x) in high_halves.iter_mut().zip(low_halves).zip(scaled) {
                    let bits = (*x * per_scale + shift).to_bits() & LARGEST;
                    (*high, *low) = ((bits >> BITS) as u8, bits as u8 & ((1 << BITS) - 1));
                }
            })
            .dispatch();
            buffers.codes.push(Code { scale, zero });
        }
    }
}

/// Runs a plain loop compiled for the widest vectors of the processor.
struct WithVectors<F>(F);

impl<F: FnOnce()> SimdOp for WithVectors<F> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, _: I) {
        (self.0)();
    }
}

/// Float32 numbers from here to twice this are consecutive integers, and their lowest bits count up from zero. So
/// adding this rounds a number and leaves the integer in its lowest bits.
const INTEGERS_FROM: f32 = (1 << 23) as f32;
/// Bits of half a number.
const BITS: u32 = 7;
/// The instructions add two products of a half and a weight in 16 bits.
const _: () = assert!(2 * ((1 << BITS) - 1) * 128 <= i16::MAX as i32);
/// The largest quantised number.
const LARGEST: u32 = (1 << (2 * BITS)) - 1;

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from -1 to 1, evenly spread, in mixed order.
    fn numbers(count: usize) -> impl Iterator<Item = f32> {
        (0..count).map(|i| (i * 7919 % 2001) as f32 / 1000.0 - 1.0)
    }

    fn linear(inputs: usize, outputs: usize) -> Linear {
        Linear {
            weights: numbers(inputs * outputs).map(|x| ((x * 127.0) as i8).cast_unsigned()).collect(),
            is_used: AtomicBool::new(false),
            packed: OnceLock::new(),
            in_scale: numbers(inputs).map(|x| 1.0 + x / 2.0).collect(),
            out_scale: numbers(outputs).map(|x| 0.01 + x / 200.0).collect(),
            bias: numbers(outputs).collect(),
        }
    }

    #[test]
    fn packed_weights_give_the_same() {
        let (inputs, outputs) = (96, 40);
        let (linear, multiplication) = (linear(inputs, outputs), Multiplication::default());
        let rows: Vec<f32> = numbers(5 * inputs).collect();
        let products = || {
            let mut products = Vec::new();
            linear.apply(&rows, &mut products, &multiplication, &mut Buffers::default());
            products
        };
        let first = products();
        assert!(linear.packed.get().is_none());
        assert!((0..3).all(|_| products() == first));
        assert!(linear.packed.get().is_some());
    }

    #[test]
    fn integers_give_nearly_what_floats_give() {
        let (inputs, outputs, count) = (96, 40, 37);
        let linear = linear(inputs, outputs);
        // Rows of various magnitudes, with numbers on one or both sides of zero.
        let sized = |(i, x): (usize, f32)| (x + (i / inputs % 3) as f32) * (i / inputs) as f32;
        let rows: Vec<f32> = numbers(count * inputs).enumerate().map(sized).collect();
        let mut found = Vec::new();
        linear.apply(&rows, &mut found, &Multiplication::default(), &mut Buffers::default());
        for (index, (row, found)) in rows.chunks(inputs).zip(found.chunks(outputs)).enumerate() {
            let wanted: Vec<f32> = (0..outputs).map(|column| in_floats(&linear, row, column)).collect();
            let length = wanted.iter().map(|x| x * x).sum::<f32>().sqrt();
            let off = wanted.iter().zip(found).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt();
            assert!(off <= 2e-4 * length, "row {index} is off by {off} of {length}");
        }
    }

    /// The largest weights beside the largest inputs, which the instructions of AVX2 sum in 16 bits.
    #[test]
    fn the_largest_products_do_not_overflow() {
        let (inputs, outputs) = (96, 40);
        for weight in [127_i8, -127] {
            let weights = vec![weight.cast_unsigned(); inputs * outputs].into();
            let largest = Linear { weights, ..linear(inputs, outputs) };
            let rows: Vec<f32> = largest.in_scale.iter().map(|scale| scale.recip()).collect();
            let mut found = Vec::new();
            largest.apply(&rows, &mut found, &Multiplication::default(), &mut Buffers::default());
            for (column, found) in found.into_iter().enumerate() {
                let wanted = in_floats(&largest, &rows, column);
                assert!((found - wanted).abs() <= 1e-3 * wanted.abs(), "{column}: {found}, not {wanted}");
            }
        }
    }

    /// The number of a column for one row.
    fn in_floats(linear: &Linear, row: &[f32], column: usize) -> f32 {
        let outputs = linear.out_scale.len();
        let product = |(i, x): (usize, &f32)| {
            x * linear.in_scale[i] * f32::from(linear.weights[i * outputs + column].cast_signed())
        };
        row.iter().enumerate().map(product).sum::<f32>() * linear.out_scale[column] + linear.bias[column]
    }
}
