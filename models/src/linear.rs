//! Linear layers with int8 weights.
//!
//! The input rows are quantised at run time to two bytes a number, each row with its own scale and zero ("dynamic
//! quantisation"), so both sides are integers and the sums are exact. The high and the low bytes of a row are separate
//! rows of one product, so the weights are read once. One byte a number is a third faster, but its vectors have a
//! cosine of only .9997 with those of float32, instead of .999999, and find a little less. If the processor's integer
//! instructions saturate (AVX2 without VNNI), both sides are converted to float32 instead.
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

/// The matrix multiplications; `integers` is `None` if the processor's integer instructions saturate.
pub(crate) struct Multiplication {
    integers: Option<GemmExecutor<u8, i8, i32>>,
    pub(crate) floats: GemmExecutor<f32, f32, f32>,
}

impl Default for Multiplication {
    fn default() -> Self {
        let integers = GemmExecutor::<u8, i8, i32>::default();
        let integers = (!integers.may_saturate()).then_some(integers);
        Multiplication { integers, floats: GemmExecutor::default() }
    }
}

/// Reused buffers.
#[derive(Default)]
pub(crate) struct Buffers {
    scaled: Vec<f32>,
    /// The high bytes of all rows, the low bytes of all rows, and a row of ones, whose product has the sum of each
    /// column.
    bytes: Vec<u8>,
    /// The scale and zero of each row.
    codes: Vec<Code>,
    sums: Vec<i32>,
    /// The weights as float32.
    widened: Vec<f32>,
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
        let count = rows.len() / self.in_scale.len();
        products.resize(count * self.out_scale.len(), 0.0);
        match &multiplication.integers {
            Some(integers) => self.multiply_integers(rows, products, integers, buffers),
            None => self.multiply_floats(rows, products, &multiplication.floats, buffers),
        }
    }

    fn multiply_integers(
        &self,
        rows: &[f32],
        products: &mut [f32],
        integers: &GemmExecutor<u8, i8, i32>,
        buffers: &mut Buffers,
    ) {
        let (inputs, outputs) = (self.in_scale.len(), self.out_scale.len());
        self.quantise(rows, buffers);
        let count = 2 * rows.len() / inputs + 1;
        buffers.sums.resize(count * outputs, 0);
        let bytes = GemmInputA::Unpacked(NdTensorView::from_data([count, inputs], &buffers.bytes[..]));
        let weights = NdTensorView::from_data([inputs, outputs], bytemuck::cast_slice(&self.weights));
        let weights = match self.is_used.swap(true, Ordering::Relaxed) {
            true => GemmInputB::Packed(self.packed.get_or_init(|| integers.prepack_b(weights))),
            false => GemmInputB::Unpacked(weights),
        };
        integers.gemm(&mut buffers.sums, bytes, weights, GemmOptions::default()).expect(FITS);
        let (high, rest) = buffers.sums.split_at(products.len());
        let (low, of_columns) = rest.split_at(products.len());
        let sums = high.chunks_exact(outputs).zip(low.chunks_exact(outputs)).zip(&buffers.codes);
        for (products, ((high, low), code)) in products.chunks_exact_mut(outputs).zip(sums) {
            let columns = of_columns.iter().zip(&self.out_scale).zip(&self.bias);
            WithVectors(|| {
                for (((product, high), low), ((of_column, scale), bias)) in
                    products.iter_mut().zip(high).zip(low).zip(columns)
                {
                    let sum = *high as f32 * 256.0 + *low as f32 - code.zero * *of_column as f32;
                    *product = sum * (code.scale * scale) + bias;
                }
            })
            .dispatch();
        }
    }

    fn multiply_floats(
        &self,
        rows: &[f32],
        products: &mut [f32],
        floats: &GemmExecutor<f32, f32, f32>,
        buffers: &mut Buffers,
    ) {
        let (inputs, outputs) = (self.in_scale.len(), self.out_scale.len());
        buffers.scaled.clear();
        for row in rows.chunks_exact(inputs) {
            buffers.scaled.extend(row.iter().zip(&self.in_scale).map(|(x, scale)| x * scale));
        }
        buffers.widened.clear();
        buffers.widened.extend(self.weights.iter().map(|weight| f32::from(weight.cast_signed())));
        let rows = GemmInputA::Unpacked(NdTensorView::from_data([rows.len() / inputs, inputs], &buffers.scaled[..]));
        let weights = GemmInputB::Unpacked(NdTensorView::from_data([inputs, outputs], &buffers.widened[..]));
        floats.gemm(products, rows, weights, GemmOptions::default()).expect(FITS);
        for row in products.chunks_exact_mut(outputs) {
            let columns = self.out_scale.iter().zip(&self.bias);
            row.iter_mut().zip(columns).for_each(|(product, (scale, bias))| *product = *product * scale + bias);
        }
    }

    /// Scales the rows by `in_scale` and quantises them into `buffers`.
    fn quantise(&self, rows: &[f32], buffers: &mut Buffers) {
        let inputs = self.in_scale.len();
        buffers.codes.clear();
        buffers.scaled.resize(inputs, 0.0);
        buffers.bytes.resize(2 * rows.len() + inputs, 0);
        let (high_bytes, rest) = buffers.bytes.split_at_mut(rows.len());
        let (low_bytes, ones) = rest.split_at_mut(rows.len());
        ones.fill(1);
        let bytes = high_bytes.chunks_exact_mut(inputs).zip(low_bytes.chunks_exact_mut(inputs));
        for (row, (high_bytes, low_bytes)) in rows.chunks_exact(inputs).zip(bytes) {
            let scaled = &mut buffers.scaled;
            WithVectors(|| scaled.iter_mut().zip(row).zip(&self.in_scale).for_each(|((to, x), scale)| *to = x * scale))
                .dispatch();
            let (least, most) = MinMax::new(scaled).dispatch();
            let (least, most) = (least.min(0.0), most.max(0.0));
            // The zero is rounded up so that no number rounds below 0; the scale leaves one code free for that. A row
            // of zeros may have any scale.
            let scale = ((most - least) / f32::from(u16::MAX - 1)).max(f32::MIN_POSITIVE);
            let zero = (-least / scale).ceil();
            let (per_scale, shift) = (scale.recip(), zero + INTEGERS_FROM);
            WithVectors(|| {
                for ((high, low), x) in high_bytes.iter_mut().zip(low_bytes).zip(scaled) {
                    let bits = (*x * per_scale + shift).to_bits();
                    (*high, *low) = ((bits >> 8) as u8, bits as u8);
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
const FITS: &str = "the shapes of a network fit together";

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
        assert!((0..3).all(|_| products() == first));
        assert_eq!(linear.packed.get().is_some(), multiplication.integers.is_some());
    }

    #[test]
    fn integers_give_nearly_what_floats_give() {
        let (inputs, outputs, count) = (96, 40, 37);
        // Rows of various magnitudes, with numbers on one or both sides of zero.
        let sized = |(i, x): (usize, f32)| (x + (i / inputs % 3) as f32) * (i / inputs) as f32;
        let rows: Vec<f32> = numbers(count * inputs).enumerate().map(sized).collect();
        let floats = Multiplication { integers: None, ..Multiplication::default() };
        let apply = |multiplication: &Multiplication| {
            let mut products = Vec::new();
            linear(inputs, outputs).apply(&rows, &mut products, multiplication, &mut Buffers::default());
            products
        };
        let wanted = apply(&floats);
        let by_hand = |row: usize, column: usize| -> f32 {
            let linear = linear(inputs, outputs);
            let product = |i: usize| {
                let weight = f32::from(linear.weights[i * outputs + column].cast_signed());
                rows[row * inputs + i] * linear.in_scale[i] * weight
            };
            (0..inputs).map(product).sum::<f32>() * linear.out_scale[column] + linear.bias[column]
        };
        for (row, column) in [(0, 0), (1, 39), (9, 3), (36, 39)] {
            let (by_hand, found) = (by_hand(row, column), wanted[row * outputs + column]);
            assert!(
                (by_hand - found).abs() <= 1e-3 * by_hand.abs().max(1.0),
                "{row}, {column}: {found}, not {by_hand}"
            );
        }
        let found = apply(&Multiplication::default());
        for (row, (wanted, found)) in wanted.chunks(outputs).zip(found.chunks(outputs)).enumerate() {
            let length = wanted.iter().map(|x| x * x).sum::<f32>().sqrt();
            let off = wanted.iter().zip(found).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt();
            assert!(off <= 1e-4 * length, "row {row} is off by {off} of {length}");
        }
    }
}
