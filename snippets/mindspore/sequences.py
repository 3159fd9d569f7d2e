"""Recurrent layers and attention with the same weights on both sides: outputs, states, masks, gradients."""

import math

import mindspore
import numpy as np
from mindspore import Tensor, mint, nn, ops

# --8<-- [start:names]
mindspore.runtime.launch_blocking()  # before the first operator: quicker for small models on CPU
lstm = nn.LSTM(input_size=3, hidden_size=4)
names = sorted(f"{name} {p.shape}" for name, p in lstm.parameters_and_names())
print(*names, sep="\n")
print("in mint.nn:", [name for name in ("RNN", "LSTM", "MultiheadAttention") if hasattr(mint.nn, name)])
# --8<-- [end:names]

# --8<-- [start:initial_range]
mindspore.set_seed(0)
lstm = nn.LSTM(64, 256)
weight = dict(lstm.parameters_and_names())["weight_hh_l0"]
bound = 1 / math.sqrt(256)
initial_range = [round(weight.abs().max().item() / bound, 2), round(weight.mean().item(), 2)]
print("largest weight / (1 / sqrt(hidden_size)):", initial_range[0])
# --8<-- [end:initial_range]


# --8<-- [start:weights]
def set_weights(module, seed=0, scale=0.5):
    rng = np.random.default_rng(seed)
    parameters = dict(module.parameters_and_names())
    for name in sorted(parameters):
        values = scale * rng.standard_normal(parameters[name].shape)
        parameters[name].set_data(Tensor(values, mindspore.float32))
    return module


rng = np.random.default_rng(0)
sequence = Tensor(rng.standard_normal((5, 2, 3)), mindspore.float32)  # time, batch, features
lstm = set_weights(nn.LSTM(3, 4))
output, (h, c) = lstm(sequence)
weights_sum = [output.sum().item(), h.sum().item(), c.sum().item()]
print(output.shape, h.shape, c.shape)
print("sums:", [round(value, 4) for value in weights_sum])
# --8<-- [end:weights]

# --8<-- [start:batch_first]
lstm = set_weights(nn.LSTM(3, 4, batch_first=True))
output, (h, c) = lstm(sequence.swapaxes(0, 1))
batch_first_output = list(output.shape)
batch_first_state = list(h.shape)
print("output", batch_first_output, "state", batch_first_state)
# --8<-- [end:batch_first]

# --8<-- [start:variants]
variants = {}
for name, layer in {
    "RNN": nn.RNN(3, 4),
    "GRU": nn.GRU(3, 4),
    "LSTM, 2 layers": nn.LSTM(3, 4, num_layers=2),
    "LSTM, both directions": nn.LSTM(3, 4, bidirectional=True),
    "GRU without bias": nn.GRU(3, 4, has_bias=False),
}.items():
    output, _ = set_weights(layer)(sequence)
    variants[name] = output.sum().item()
    print(f"{name}: {output.shape}, sum {variants[name]:.4f}")
# --8<-- [end:variants]

# --8<-- [start:padded]
lengths = Tensor([5, 3], mindspore.int32)
lstm = set_weights(nn.LSTM(3, 4))
output, (h, c) = lstm(sequence, seq_length=lengths)

_, (h_without, _) = lstm(sequence)
padded_output = output.sum(axis=(0, 2)).tolist()
padded_state = h.sum(axis=(0, 2)).tolist()
padded_state_without = h_without.sum(axis=(0, 2)).tolist()
print("final state with lengths:   ", [round(value, 4) for value in padded_state])
print("final state without lengths:", [round(value, 4) for value in padded_state_without])
# --8<-- [end:padded]

# --8<-- [start:cell]
cell = set_weights(nn.LSTMCell(3, 4))
h, c = ops.zeros((2, 4)), ops.zeros((2, 4))
for x in sequence:
    h, c = cell(x, (h, c))

cell_state = h.tolist()
print([[round(value, 4) for value in row] for row in cell_state])
# --8<-- [end:cell]

# --8<-- [start:gradients]
stack = nn.CellList([nn.RNN(3, 6), nn.LSTM(6, 5), nn.LSTM(5, 4)])
for number, layer in enumerate(stack):
    set_weights(layer, seed=number)


def forward(x):
    for layer in stack:
        x, _ = layer(x)
    return (x**2).sum()


trainable = stack.trainable_params()
loss, grads = mindspore.value_and_grad(forward, None, trainable)(sequence)
gradients = {p.name: grad.abs().sum().item() for p, grad in zip(trainable, grads, strict=True)}
print(f"loss {loss.item():.4f}")
for name in ("0.weight_ih_l0", "1.weight_ih_l0", "2.weight_ih_l0"):
    print(f"{name}: {gradients[name]:.4f}")
# --8<-- [end:gradients]

# --8<-- [start:attention]
attention = set_weights(nn.MultiheadAttention(embed_dim=8, num_heads=2))
rng = np.random.default_rng(1)
tokens = Tensor(rng.standard_normal((4, 2, 8)), mindspore.float32)  # time, batch, features
output, scores = attention(tokens, tokens, tokens)
attention_output = output.tolist()
attention_scores = scores.tolist()
print(output.shape, scores.shape)
print([name for name, _ in attention.parameters_and_names()])
print("scores of the first query:", [round(value, 4) for value in attention_scores[0][0]])
# --8<-- [end:attention]

# --8<-- [start:masks]
padding = Tensor([[False, False, False, False], [False, False, True, True]])  # True: ignore
causal = ops.ones((4, 4)).triu(1).bool()  # True: ignore
output, scores = attention(tokens, tokens, tokens, key_padding_mask=padding, attn_mask=causal)
masks_output = output.tolist()
masks_scores = scores[1].tolist()
for row in masks_scores:
    print([round(value, 3) for value in row])
# --8<-- [end:masks]

# --8<-- [start:all_masked]
everything = ops.ones((2, 4), mindspore.bool_)
output, _ = attention(tokens, tokens, tokens, key_padding_mask=everything)
all_masked_is_nan = bool(ops.isnan(output).all())
row = ops.softmax(ops.full((4,), -math.inf, dtype=mindspore.float32), axis=0)
all_masked_softmax = str(row.tolist())
print("attention gives NaN:", all_masked_is_nan)
print("softmax of only -inf:", all_masked_softmax)
# --8<-- [end:all_masked]


# --8<-- [start:masked_neighbour]
scores = np.zeros((4, 4), np.float32)
scores[0] = -np.inf  # the first row may attend to nothing, the others to everything
second_row = ops.softmax(Tensor(scores), axis=-1)[1].tolist()
masked_neighbour = second_row == [0.25, 0.25, 0.25, 0.25]
scores[0] = -1e9  # a large finite number instead
masked_neighbour_finite = ops.softmax(Tensor(scores), axis=-1).tolist()
print("second row is a quarter each:", masked_neighbour)
print("with -1e9:", masked_neighbour_finite[1])
# --8<-- [end:masked_neighbour]


# --8<-- [start:by_hand]
def scaled_dot_product(q, k, v, keep):
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    scores = scores.masked_fill(ops.logical_not(keep), -math.inf)
    return ops.softmax(scores, axis=-1) @ v


rng = np.random.default_rng(2)
q, k, v = Tensor(rng.standard_normal((3, 1, 2, 4, 8)), mindspore.float32)
keep = ops.ones((4, 4)).tril().bool()
by_hand = scaled_dot_product(q, k, v, keep).flatten().tolist()
try:
    fused = ops.flash_attention_score(q, k, v, head_num=2, input_layout="BNSD")
    by_hand_fused = "works" if fused.asnumpy().any() else ""
except RuntimeError as error:
    by_hand_fused = type(error).__name__
    print(str(error).splitlines()[0])
print(ops.flash_attention_score.__doc__.partition("Supported Platforms:")[2].split()[0])
# --8<-- [end:by_hand]

# --8<-- [start:encoder_layer]
layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16)
encoder_layer_names = sorted(name for name, _ in layer.parameters_and_names())
print(*encoder_layer_names[:4], sep="\n")
# --8<-- [end:encoder_layer]


# --8<-- [start:encoder]
def common_name(name):  # the name of the same parameter in PyTorch
    renamed = {"dense": "linear", "gamma": "weight", "beta": "bias", "embedding_table": "weight"}
    for ours, theirs in renamed.items():
        name = name.replace(ours, theirs)
    return name


def set_encoder(module, seed=0):
    rng = np.random.default_rng(seed)
    parameters = {common_name(name): p for name, p in module.parameters_and_names()}
    for name in sorted(parameters):
        values = 0.3 * rng.standard_normal(parameters[name].shape)
        parameters[name].set_data(Tensor(values, mindspore.float32))
    return module


layer = nn.TransformerEncoderLayer(8, 2, 16)
encoder = nn.TransformerEncoder(layer, num_layers=2)
set_encoder(encoder).set_train(False)
output = encoder(tokens, src_key_padding_mask=padding)
encoder_output = output[:, 0].flatten().tolist()
print(output.shape, [round(value, 4) for value in encoder_output[:4]])
# --8<-- [end:encoder]

# --8<-- [start:fast_path]
layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
fast = set_encoder(nn.TransformerEncoder(layer, num_layers=2)).set_train(False)
output = fast(tokens.swapaxes(0, 1), src_key_padding_mask=padding)
fast_path_real = output[1, :2].flatten().tolist()
fast_path_padded_zero = bool((output[1, 2:] == 0).all())
print("outputs at the padding are zero:", fast_path_padded_zero)
# --8<-- [end:fast_path]

# --8<-- [start:decoder]
decoder = set_encoder(nn.TransformerDecoderLayer(8, 2, 16)).set_train(False)
output = decoder(tokens, tokens, tgt_mask=causal)
decoder_output = output.flatten().tolist()
print(output.shape, [round(value, 4) for value in decoder_output[:4]])
# --8<-- [end:decoder]


# --8<-- [start:classifier]
class Classifier(nn.Cell):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 8)
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)
        self.encoder = nn.TransformerEncoder(layer, num_layers=1)
        self.head = nn.Dense(8, 3)

    def construct(self, ids):  # ids: batch, time; 0 is padding
        padding = ids == 0
        h = self.encoder(self.embed(ids).swapaxes(0, 1), src_key_padding_mask=padding)
        keep = ops.logical_not(padding).float().unsqueeze(-1)
        mean = (h.swapaxes(0, 1) * keep).sum(axis=1) / keep.sum(axis=1)
        return self.head(mean)


ids = Tensor([[3, 7, 1, 0], [5, 2, 9, 4]], mindspore.int32)
labels = Tensor([0, 2], mindspore.int32)
model = set_encoder(Classifier()).set_train()
optimizer = nn.SGD(model.trainable_params(), learning_rate=0.1)


def loss_of_model(ids, labels):
    return ops.cross_entropy(model(ids), labels)


grad_fn = mindspore.value_and_grad(loss_of_model, None, optimizer.parameters)
classifier = []
for _step in range(5):
    loss, grads = grad_fn(ids, labels)
    optimizer(grads)
    classifier.append(loss.item())
print("losses:", [round(value, 4) for value in classifier])
# --8<-- [end:classifier]

# --8<-- [start:padding_index]
embedding = nn.Embedding(5, 2, padding_idx=0)
padding_index_row = embedding.embedding_table[0].tolist()
ids = Tensor([0, 0, 3], mindspore.int32)
keep = (ids != 0).float().unsqueeze(-1)  # zero for padding
table = embedding.trainable_params()
(grad,) = mindspore.grad(lambda: embedding(ids).sum(), None, table)()
padding_index_gradient = grad.sum(axis=1).tolist()
(grad,) = mindspore.grad(lambda: (embedding(ids) * keep).sum(), None, table)()
padding_index_masked = grad.sum(axis=1).tolist()
print("row of the padding index:", padding_index_row)
print("gradients by row:", padding_index_gradient)
print("times the mask:  ", padding_index_masked)
# --8<-- [end:padding_index]

agree = {
    "names": names,
    "initial_range": initial_range,
    "weights_sum": weights_sum,
    "batch_first_output": batch_first_output,
    "batch_first_state": batch_first_state,
    "variants": list(variants.values()),
    "padded_output": padded_output,
    "padded_state": padded_state,
    "padded_state_without": padded_state_without,
    "cell_state": cell_state,
    "gradients": [gradients[name] for name in sorted(gradients)],
    "attention_output": attention_output,
    "attention_scores": attention_scores,
    "masks_output": masks_output,
    "masks_scores": masks_scores,
    "all_masked_is_nan": all_masked_is_nan,
    "all_masked_softmax": all_masked_softmax,
    "masked_neighbour": masked_neighbour,
    "masked_neighbour_finite": masked_neighbour_finite,
    "by_hand": by_hand,
    "by_hand_fused": by_hand_fused,
    "encoder_layer_names": encoder_layer_names[:4],
    "encoder_output": encoder_output,
    "fast_path_real": fast_path_real,
    "fast_path_padded_zero": fast_path_padded_zero,
    "decoder_output": decoder_output,
    "classifier": classifier,
    "padding_index_row": padding_index_row,
    "padding_index_gradient": padding_index_gradient,
    "padding_index_masked": padding_index_masked,
}
