//! Self-attention (Vaswani et al., 2017) of texts that stand one behind the other.

use std::ops::Range;

use rten_gemm::{GemmInputA, GemmInputB, GemmOptions};
use rten_simd::SimdOp;
use rten_tensor::{Matrix, NdTensorView};
use rten_vecmath::Softmax;

use super::linear::{Linear, Multiplication, Room};
use super::{HIDDEN, Weights};

const HEADS: usize = 12;
/// Numbers of a head.
const HEAD: usize = HIDDEN / HEADS;

pub(crate) struct Attention {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
}

impl Attention {
    pub(crate) fn read(weights: &mut Weights, name: &str) -> Self {
        let mut linear = |part: &str| Linear::read(weights, &format!("{name}.{part}"));
        Attention { query: linear("query"), key: linear("key"), value: linear("value"), output: linear("output") }
    }

    /// A token attends to the tokens of its own text; the texts have so many tokens.
    pub(crate) fn apply(
        &self,
        hidden: &[f32],
        lengths: &[usize],
        multiplication: &Multiplication,
        room: &mut Room,
    ) -> Vec<f32> {
        let query = self.query.apply(hidden, multiplication, room);
        let key = self.key.apply(hidden, multiplication, room);
        let value = self.value.apply(hidden, multiplication, room);
        let mut context = vec![0.0; hidden.len()];
        let (mut shares, mut own): (Vec<f32>, Vec<f32>) = (Vec::new(), Vec::new());
        let by_root = GemmOptions { alpha: (HEAD as f32).sqrt().recip(), ..GemmOptions::default() };
        let multiply = |out: &mut [f32], left: Matrix<f32>, right: Matrix<f32>, options| {
            let (left, right) = (GemmInputA::Unpacked(left), GemmInputB::Unpacked(right));
            multiplication.floats.gemm(out, left, right, options).expect("the shapes of a network fit together");
        };
        let mut start = 0;
        for &count in lengths {
            let text = start * HIDDEN..(start + count) * HIDDEN;
            shares.resize(count * count, 0.0);
            own.resize(count * HEAD, 0.0);
            for head in 0..HEADS {
                let (query, key) = (of_head(&query, &text, head), of_head(&key, &text, head));
                multiply(&mut shares, query, key.transposed(), by_root.clone());
                shares.chunks_exact_mut(count).for_each(|row| {
                    Softmax::new_mut(row).dispatch();
                });
                let shares = NdTensorView::from_data([count, count], &shares[..]);
                multiply(&mut own, shares, of_head(&value, &text, head), GemmOptions::default());
                for (to, from) in context[text.clone()].chunks_exact_mut(HIDDEN).zip(own.chunks_exact(HEAD)) {
                    to[head * HEAD..(head + 1) * HEAD].copy_from_slice(from);
                }
            }
            start += count;
        }
        self.output.apply(&context, multiplication, room)
    }
}

/// The part of a head of the rows of a text, `[tokens, HEAD]`.
fn of_head<'a>(all: &'a [f32], text: &Range<usize>, head: usize) -> Matrix<'a, f32> {
    let rows = &all[text.start + head * HEAD..text.end];
    NdTensorView::from_slice_with_strides([text.len() / HIDDEN, HEAD], rows, [HIDDEN, 1])
        .expect("a head is within the rows")
}
