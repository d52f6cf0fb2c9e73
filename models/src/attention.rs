//! Self-attention (Vaswani et al., 2017) over concatenated texts.

use std::ops::Range;

use rten_gemm::{GemmInputA, GemmInputB, GemmOptions};
use rten_simd::SimdOp;
use rten_tensor::{Matrix, NdTensorView};
use rten_vecmath::Softmax;

use super::linear::{self, Linear, Multiplication};
use super::{HIDDEN, Weights};

const HEADS: usize = 12;
/// Numbers of a head.
const HEAD: usize = HIDDEN / HEADS;

/// Reused buffers.
#[derive(Default)]
pub(crate) struct Buffers {
    query: Vec<f32>,
    key: Vec<f32>,
    value: Vec<f32>,
    context: Vec<f32>,
    /// The attention weights: how much each token of a text attends to each other.
    shares: Vec<f32>,
    /// The context of one head.
    own: Vec<f32>,
}

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

    /// A token attends to the tokens of its own text; `lengths` are the token counts of the texts. The result replaces
    /// the contents of `attended`.
    pub(crate) fn apply(
        &self,
        hidden: &[f32],
        lengths: &[usize],
        attended: &mut Vec<f32>,
        multiplication: &Multiplication,
        (buffers, of_linear): (&mut Buffers, &mut linear::Buffers),
    ) {
        let Buffers { query, key, value, context, shares, own } = buffers;
        self.query.apply(hidden, query, multiplication, of_linear);
        self.key.apply(hidden, key, multiplication, of_linear);
        self.value.apply(hidden, value, multiplication, of_linear);
        context.resize(hidden.len(), 0.0);
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
                let (query, key) = (of_head(query, &text, head), of_head(key, &text, head));
                multiply(shares, query, key.transposed(), by_root.clone());
                shares.chunks_exact_mut(count).for_each(|row| {
                    Softmax::new_mut(row).dispatch();
                });
                let shares = NdTensorView::from_data([count, count], &shares[..]);
                multiply(own, shares, of_head(value, &text, head), GemmOptions::default());
                for (to, from) in context[text.clone()].chunks_exact_mut(HIDDEN).zip(own.chunks_exact(HEAD)) {
                    to[head * HEAD..(head + 1) * HEAD].copy_from_slice(from);
                }
            }
            start += count;
        }
        self.output.apply(context, attended, multiplication, of_linear);
    }
}

/// The columns of one head in the rows of a text, `[tokens, HEAD]`.
fn of_head<'a>(all: &'a [f32], text: &Range<usize>, head: usize) -> Matrix<'a, f32> {
    let rows = &all[text.start + head * HEAD..text.end];
    NdTensorView::from_slice_with_strides([text.len() / HIDDEN, HEAD], rows, [HIDDEN, 1])
        .expect("a head is within the rows")
}
