"""Losses on the same inputs in both frameworks: labels, reductions, weights."""

import inspect

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

# --8<-- [start:class_indices]
logits = torch.tensor([[2.0, 0.5, -1.0], [0.1, 1.5, 0.3], [0.2, 0.2, 3.0]])
labels = torch.tensor([0, 1, 0])  # int64
loss = nn.CrossEntropyLoss()(logits, labels)
print("as a layer:", round(loss.item(), 5))
function_loss = F.cross_entropy(logits, labels)
print("as a function:", round(function_loss.item(), 5))
# --8<-- [end:class_indices]

# --8<-- [start:label_dtype]
outcomes = {}
for dtype in ("int32", "int64"):
    typed = torch.tensor(np.array([0, 1, 0], dtype=dtype))
    losses = {"layer": nn.CrossEntropyLoss(), "function": F.cross_entropy}
    for name, loss_fn in losses.items():
        try:
            loss_fn(logits, typed)
            outcomes[name, dtype] = "works"
        except (RuntimeError, TypeError) as error:
            outcomes[name, dtype] = type(error).__name__
            print(f"{name}, {dtype}:", error, sep="\n")
for key, outcome in outcomes.items():
    print(*key, outcome)
# --8<-- [end:label_dtype]

# --8<-- [start:with_logits]
print("nn.CrossEntropyWithSoftmax exists:", hasattr(nn, "CrossEntropyWithSoftmax"))
ready_made = hasattr(nn, "SoftmaxCrossEntropyWithLogits")
print("nn.SoftmaxCrossEntropyWithLogits exists:", ready_made)
per_row = nn.CrossEntropyLoss(reduction="none")(logits, labels)
print("class indices:", [round(v, 4) for v in per_row.tolist()])
one_hot = F.one_hot(labels, 3).float()
per_row_one_hot = nn.CrossEntropyLoss(reduction="none")(logits, one_hot)
print("one-hot rows:", [round(v, 4) for v in per_row_one_hot.tolist()])
reduced = nn.CrossEntropyLoss()(logits, labels)
print("default gives the shape:", list(reduced.shape))
# --8<-- [end:with_logits]

# --8<-- [start:softmax_twice]
wrong = torch.tensor([[10.0, 0.0, 0.0]], requires_grad=True)  # sure of class 0
target = torch.tensor([1])  # and mistaken
once, twice = F.cross_entropy(wrong, target), F.cross_entropy(wrong.softmax(1), target)
(once_grad,) = torch.autograd.grad(once, wrong)
(twice_grad,) = torch.autograd.grad(twice, wrong)
print("logits:", f"{once.item():.4f}", "gradient:", f"{once_grad.abs().max():.4f}")
print("softmax first:", f"{twice.item():.4f}", "gradient:", f"{twice_grad.abs().max():.4f}")
perfect = F.cross_entropy(torch.tensor([[0.0, 1.0, 0.0]]), target)
print("best possible with softmax first:", round(perfect.item(), 4))
# --8<-- [end:softmax_twice]

# --8<-- [start:probabilities]
mixed = torch.tensor([[0.9, 0.1, 0.0], [0.0, 0.8, 0.2], [1.0, 0.0, 0.0]])
soft_loss = nn.CrossEntropyLoss()(logits, mixed)
print("probabilities as targets:", round(soft_loss.item(), 5))
by_hand = -(mixed * logits.log_softmax(1)).sum(1).mean()
print("the same by hand:", round(by_hand.item(), 5))
# --8<-- [end:probabilities]

# --8<-- [start:class_weights]
weight = torch.tensor([1.0, 2.0, 0.5])
weighted = nn.CrossEntropyLoss(weight=weight)(logits, labels)
print("weighted mean:", round(weighted.item(), 5))
per_sample = nn.CrossEntropyLoss(weight=weight, reduction="none")(logits, labels)
print("sum / sum of weights:", round((per_sample.sum() / weight[labels].sum()).item(), 5))
print("sum / number of rows:", round(per_sample.mean().item(), 5))
# --8<-- [end:class_weights]

# --8<-- [start:ignore_index]
padded = torch.tensor([0, -100, 0])  # -100 is the default ignore_index
ignored = nn.CrossEntropyLoss()(logits, padded)
print("one row ignored:", round(ignored.item(), 5))
padded = torch.tensor([0, -1, 0])
named = nn.CrossEntropyLoss(ignore_index=-1)(logits, padded)
print("ignore_index=-1:", round(named.item(), 5))
nothing = nn.CrossEntropyLoss()(logits, torch.tensor([-100, -100, -100]))
print("all rows ignored:", nothing.item())
# --8<-- [end:ignore_index]

# --8<-- [start:bad_label]
found = {}
for label in (-1, 3):
    try:
        value = F.cross_entropy(logits, torch.tensor([0, label, 0])).item()
        found[label] = f"{value:.4f}"
        print(f"label {label}: loss", found[label])
    except (IndexError, RuntimeError) as error:
        found[label] = type(error).__name__
        print(f"label {label}: {found[label]}", str(error).splitlines()[0], sep="\n")
last_class = F.cross_entropy(logits, torch.tensor([0, 2, 0])).item()
print("label 2, the last class: loss", f"{last_class:.4f}")
# --8<-- [end:bad_label]

# --8<-- [start:smoothing]
smooth = nn.CrossEntropyLoss(label_smoothing=0.1)(logits, labels)
print("label_smoothing=0.1:", round(smooth.item(), 5))
spread = F.one_hot(labels, 3).float() * 0.9 + 0.1 / 3
print("the same by hand:", round(F.cross_entropy(logits, spread).item(), 5))
# --8<-- [end:smoothing]

# --8<-- [start:binary]
scores = torch.tensor([0.5, -1.0, 2.0])
answers = torch.tensor([1.0, 0.0, 0.0])
from_logits = nn.BCEWithLogitsLoss()(scores, answers)
print("BCEWithLogitsLoss(logits):", round(from_logits.item(), 5))
from_probabilities = nn.BCELoss()(scores.sigmoid(), answers)
print("BCELoss(probabilities):", round(from_probabilities.item(), 5))
as_function = F.binary_cross_entropy_with_logits(scores, answers)
print("as a function:", round(as_function.item(), 5))
# --8<-- [end:binary]

# --8<-- [start:pos_weight]
pos_weight = torch.tensor([3.0])  # positives count three times
favoured = nn.BCEWithLogitsLoss(pos_weight=pos_weight)(scores, answers)
print("pos_weight=3:", round(favoured.item(), 5))
sample_weight = torch.tensor([1.0, 2.0, 0.5])
rescaled = nn.BCEWithLogitsLoss(weight=sample_weight)(scores, answers)
print("weight per sample:", round(rescaled.item(), 5))
# --8<-- [end:pos_weight]

# --8<-- [start:binary_single]
probability, answer = torch.tensor([0.5]), torch.tensor([1.0])
probability.requires_grad_()
single = nn.BCELoss()(probability, answer)
(single_grad,) = torch.autograd.grad(single, probability)
print("BCELoss, one element:", round(single.item(), 5), "gradient:", single_grad.item())
pair = nn.BCELoss()(torch.tensor([0.5, 0.5]), torch.tensor([1.0, 1.0]))
print("BCELoss, two elements:", round(pair.item(), 5))
unreduced = nn.BCELoss(reduction="none")(probability, answer).mean()
print("unreduced, then mean:", round(unreduced.item(), 5))
single_function = F.binary_cross_entropy(probability, answer)
print("as a function:", round(single_function.item(), 5))
from_zero = nn.BCEWithLogitsLoss()(torch.tensor([0.0]), answer)
print("BCEWithLogitsLoss, one element:", round(from_zero.item(), 5))
# --8<-- [end:binary_single]

# --8<-- [start:binary_edge]
certain = nn.BCELoss()(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 0.0]))
print("certain and wrong:", round(certain.item(), 3))
far = nn.BCEWithLogitsLoss()(torch.tensor([-200.0, 200.0]), torch.tensor([1.0, 0.0]))
print("far-off logits:", round(far.item(), 3))
# --8<-- [end:binary_edge]

# --8<-- [start:binary_labels]
try:
    whole = f"{nn.BCEWithLogitsLoss()(scores, torch.tensor([1, 0, 0])).item():.4f}"
except (RuntimeError, TypeError) as error:
    whole = type(error).__name__
    print(str(error).splitlines()[0])
print("int64 labels:", whole)
try:
    column = f"{nn.BCEWithLogitsLoss()(scores.reshape(3, 1), answers).item():.4f}"
except ValueError as error:
    column = type(error).__name__
print("shapes (3, 1) and (3,):", column)
# --8<-- [end:binary_labels]

# --8<-- [start:nll]
log_probabilities = F.log_softmax(logits, dim=1)
nll = nn.NLLLoss()(log_probabilities, labels)
nll_int64 = nn.NLLLoss()(log_probabilities, labels.long())
print("log_softmax + NLLLoss:", round(nll.item(), 5))
print("with int64 labels:", round(nll_int64.item(), 5))
print("CrossEntropyLoss:", round(nn.CrossEntropyLoss()(logits, labels).item(), 5))
# --8<-- [end:nll]

# --8<-- [start:regression]
predicted = torch.tensor([0.0, 1.0, 3.0, -2.0])
truth = torch.tensor([0.5, 1.0, 1.0, 1.0])
mse = nn.MSELoss()(predicted, truth)
mae = nn.L1Loss()(predicted, truth)
huber = nn.HuberLoss(delta=0.5)(predicted, truth)
rmse = nn.MSELoss()(predicted, truth).sqrt()
print("mse:", mse.item())
print("mae:", mae.item())
print("huber:", huber.item())
print("rmse:", round(rmse.item(), 5))
# --8<-- [end:regression]

# --8<-- [start:smooth_l1]
default = nn.SmoothL1Loss()(predicted, truth)
print("default:", default.tolist())
asked = nn.SmoothL1Loss(reduction="mean", beta=0.5)(predicted, truth)
print("reduction named, beta=0.5:", asked.item())
like_torch = nn.SmoothL1Loss()(predicted, truth)
print("the default of PyTorch:", like_torch.item())
try:
    no_beta = str(nn.SmoothL1Loss(reduction="mean", beta=0.0)(predicted, truth).item())
except RuntimeError as error:
    no_beta = type(error).__name__
print("beta=0:", no_beta)
# --8<-- [end:smooth_l1]

# --8<-- [start:kl_div]
teacher = torch.tensor([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]])
student = torch.tensor([[0.3, 0.3, 0.4], [0.2, 0.2, 0.6]]).log()  # logarithms
divergence = nn.KLDivLoss(reduction="batchmean")(student, teacher)
print("batchmean:", round(divergence.item(), 5))
by_element = F.kl_div(student, teacher, reduction="none").mean()
print("mean over all elements:", round(by_element.item(), 5))
# --8<-- [end:kl_div]

# --8<-- [start:kl_log_target]
log_teacher = teacher.log()
loss_fn = nn.KLDivLoss(reduction="batchmean", log_target=True)
with_logarithms = loss_fn(student, log_teacher)
log_target = {"nn": "works", "mint.nn": "works"}
print("nn.KLDivLoss(log_target=True):", round(with_logarithms.item(), 5))

mistaken = F.kl_div(student, log_teacher, reduction="batchmean").item()
print("logarithms as targets, unannounced:", mistaken)
undone = F.kl_div(student, log_teacher.exp(), reduction="batchmean")
print("target.exp():", round(undone.item(), 5))
# --8<-- [end:kl_log_target]

# --8<-- [start:ranking]
left = torch.tensor([[1.0, 2.0], [0.5, -1.0], [0.0, 1.0]])
right = torch.tensor([[2.0, 1.0], [0.5, 1.0], [1.0, 1.0]])
alike = torch.tensor([1, -1, 1])
cosine = nn.CosineEmbeddingLoss(margin=0.1)(left, right, alike)
print("cosine embedding:", round(cosine.item(), 5))
order = torch.tensor([1.0, -1.0, 1.0, 1.0])
ranking = nn.MarginRankingLoss(margin=0.5)(predicted, truth, order)
print("margin ranking:", ranking.item())
hinge = nn.HingeEmbeddingLoss()(predicted, torch.tensor([1.0, -1.0, 1.0, -1.0]))
print("hinge embedding:", hinge.item())
# --8<-- [end:ranking]

# --8<-- [start:triplet]
anchor, positive, negative = left, right, left + 1.0
try:
    ready = nn.TripletMarginLoss(margin=1.0)(anchor, positive, negative)
    ready_text = "works"
except RuntimeError as error:
    ready_text = type(error).__name__
    print(str(error)[str(error).find("Unsupported") :].partition(",")[0])
print("TripletMarginLoss:", ready_text)


def distance(a, b, eps=1e-6):
    return ((a - b + eps) ** 2).sum(-1).sqrt()


margins = distance(anchor, positive) - distance(anchor, negative) + 1.0
triplet = F.relu(margins).mean()
print("by hand:", round(triplet.item(), 5))
with_distance = nn.TripletMarginWithDistanceLoss(distance_function=distance)
triplet_distance = with_distance(anchor, positive, negative)
print("TripletMarginWithDistanceLoss:", round(triplet_distance.item(), 5))
# --8<-- [end:triplet]

# --8<-- [start:ctc]
rng = np.random.default_rng(0)
frames = torch.tensor(rng.standard_normal((4, 2, 3)).astype(np.float32))  # T, N, C
frames.requires_grad_()
targets = torch.tensor([[1, 2], [2, 2]], dtype=torch.int32)  # 0 is the blank
input_lengths = torch.tensor([4, 4], dtype=torch.int32)
target_lengths = torch.tensor([2, 2], dtype=torch.int32)
log_probabilities = F.log_softmax(frames, -1)
ctc = nn.CTCLoss(blank=0)(log_probabilities, targets, input_lengths, target_lengths)
(ctc_grad,) = torch.autograd.grad(ctc, frames)
print("loss:", f"{ctc.item():.4f}")
print("gradient of the first frame:", [f"{v:.4f}" for v in ctc_grad[0, 0].tolist()])
# --8<-- [end:ctc]

# --8<-- [start:ctc_impossible]
even = torch.zeros(2, 2, 3, requires_grad=True)  # two frames
doubled = torch.tensor([[1, 2], [1, 1]], dtype=torch.int32)  # 1, 1 needs three of them
lengths = torch.tensor([2, 2], dtype=torch.int32)


def total_ctc(frames, zero_infinity):
    ctc_loss = nn.CTCLoss(reduction="none", zero_infinity=zero_infinity)
    losses = ctc_loss(F.log_softmax(frames, -1), doubled, lengths, lengths)
    return torch.where(losses.isinf(), 0.0, losses).sum(), losses  # infinities replaced


infinite = {}
for zero_infinity in (False, True):
    replaced, losses = total_ctc(even, zero_infinity)
    (gradient,) = torch.autograd.grad(replaced, even)
    infinite[zero_infinity] = losses, gradient, replaced
    print("zero_infinity:", zero_infinity, "losses:", [f"{v:.3f}" for v in losses.tolist()])
    print("replaced by hand, sum:", f"{replaced.item():.3f}")
    print("gradient of the second:", gradient[0, 1].tolist())
# --8<-- [end:ctc_impossible]

# --8<-- [start:contrastive]
rng = np.random.default_rng(0)
images = torch.tensor(rng.standard_normal((3, 4)).astype(np.float32), requires_grad=True)
texts = torch.tensor(rng.standard_normal((3, 4)).astype(np.float32), requires_grad=True)
log_scale = torch.tensor(np.log(1 / 0.07).astype(np.float32), requires_grad=True)


def contrastive_loss(images, texts, log_scale):
    images, texts = F.normalize(images, dim=-1), F.normalize(texts, dim=-1)
    similarity = log_scale.exp() * images @ texts.t()
    own = torch.arange(len(images))  # row i belongs to column i
    return (F.cross_entropy(similarity, own) + F.cross_entropy(similarity.t(), own)) / 2


clip_loss = contrastive_loss(images, texts, log_scale)
gradients = torch.autograd.grad(clip_loss, (images, texts, log_scale))
print("loss:", f"{clip_loss.item():.4f}")
print("gradient of the scale:", f"{gradients[2].item():.4f}")
# --8<-- [end:contrastive]

# --8<-- [start:segmentation]
pixels = torch.arange(12.0).reshape(1, 3, 2, 2) % 5  # batch, classes, height, width
classes = torch.tensor([[[0, 1], [2, 255]]])  # batch, height, width
segmentation = nn.CrossEntropyLoss(ignore_index=255)(pixels, classes)
print("mean over labelled pixels:", round(segmentation.item(), 5))
loss_map = nn.CrossEntropyLoss(ignore_index=255, reduction="none")(pixels, classes)
print("one value per pixel:", list(loss_map.shape))
rows = pixels.permute(0, 2, 3, 1).reshape(-1, 3)
flat = F.cross_entropy(rows, classes.reshape(-1), ignore_index=255)
print("the same as rows:", round(flat.item(), 5))
# --8<-- [end:segmentation]

# --8<-- [start:masked]
errors = nn.MSELoss(reduction="none")(predicted, truth)
mask = torch.tensor([1.0, 1.0, 0.0, 1.0])
masked = (errors * mask).sum() / mask.sum().clamp(min=1.0)
print("over the mask:", round(masked.item(), 5))
importance = torch.tensor([1.0, 2.0, 1.0, 0.5])
weighted_error = (errors * importance).mean()
print("weighted, over all:", round(weighted_error.item(), 5))
# --8<-- [end:masked]


# --8<-- [start:custom]
def charbonnier(predicted, truth, eps=1e-3):
    return torch.sqrt((predicted - truth) ** 2 + eps**2).mean()


class Charbonnier(nn.Module):
    def __init__(self, eps=1e-3, reduction="mean"):
        super().__init__()
        self.eps, self.reduction = eps, reduction

    def forward(self, predicted, truth):
        loss = torch.sqrt((predicted - truth) ** 2 + self.eps**2)
        return {"mean": loss.mean, "sum": loss.sum, "none": lambda: loss}[self.reduction]()


own_function, own_class = charbonnier(predicted, truth), Charbonnier()(predicted, truth)
own_sum = Charbonnier(reduction="sum")(predicted, truth)
print("function:", f"{own_function.item():.4f}")
print("class:", f"{own_class.item():.4f}")
print("class, sum:", f"{own_sum.item():.4f}")
# --8<-- [end:custom]

# --8<-- [start:several]
weights = torch.tensor([[0.5, -0.5, 0.2]], requires_grad=True)


def total_loss(weights):
    main = F.cross_entropy(logits * weights, labels)
    penalty = weights.abs().sum()
    return main + 0.1 * penalty, main, penalty


total, main, penalty = total_loss(weights)
total.backward()
for name, value in {"total": total, "main": main, "penalty": penalty}.items():
    print(f"{name}: {value.item():.4f}")
print("gradient:", [f"{v:.4f}" for v in weights.grad[0].tolist()])
(everything,) = torch.autograd.grad(sum(total_loss(weights)), weights)
print("of all three outputs:", [f"{v:.4f}" for v in everything[0].tolist()])
# --8<-- [end:several]

# --8<-- [start:reductions]
defaults = {}
for name, member in vars(nn).items():
    if inspect.isclass(member) and name.endswith(("Loss", "Logits")):
        arguments = inspect.signature(member.__init__).parameters
        if "reduction" in arguments:
            defaults[name] = arguments["reduction"].default
unreduced_by_default = sorted(name for name, value in defaults.items() if value == "none")
print("with a reduction:", len(defaults))
print("none by default:", unreduced_by_default)
compared = ["BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss"]
compared += ["CrossEntropyLoss", "GaussianNLLLoss", "HingeEmbeddingLoss", "HuberLoss"]
compared += ["KLDivLoss", "L1Loss", "MSELoss", "MarginRankingLoss", "NLLLoss"]
compared += ["PoissonNLLLoss", "TripletMarginLoss"]
means = [name for name in compared if defaults[name] == "mean"]
print("mean by default:", len(means), "of the", len(compared), "compared")
# --8<-- [end:reductions]

# --8<-- [start:mint]
working = []
names = ["BCELoss", "BCEWithLogitsLoss", "NLLLoss", "SmoothL1Loss"]
names += ["MSELoss", "L1Loss", "CrossEntropyLoss"]
for name in names:
    first, second = torch.tensor([[0.2, 0.8]]), torch.tensor([[0.0, 1.0]])
    if name == "NLLLoss":
        second = torch.tensor([1])
    try:
        getattr(nn, name)()(first, second)
        working.append(name)
    except RuntimeError as error:
        print(name, "->", str(error).splitlines()[0])
print("work:", ", ".join(working))
# --8<-- [end:mint]

agree = {
    "class_indices": loss,
    "class_indices_function": function_loss,
    "label_dtype_layer_int32": outcomes["layer", "int32"],
    "label_dtype_layer_int64": outcomes["layer", "int64"],
    "label_dtype_function_int32": outcomes["function", "int32"],
    "label_dtype_function_int64": outcomes["function", "int64"],
    "with_logits_made_up_name": hasattr(nn, "CrossEntropyWithSoftmax"),
    "with_logits_exists": ready_made,
    "with_logits_per_row": per_row,
    "with_logits_one_hot": per_row_one_hot,
    "with_logits_default_shape": str(list(reduced.shape)),
    "softmax_twice_once": once,
    "softmax_twice_loss": twice,
    "softmax_twice_once_gradient": once_grad,
    "softmax_twice_gradient": twice_grad,
    "softmax_twice_floor": perfect,
    "probabilities": soft_loss,
    "probabilities_by_hand": by_hand,
    "class_weights": weighted,
    "class_weights_per_sample": per_sample,
    "ignore_index": ignored,
    "ignore_index_named": named,
    "ignore_index_everything": nothing,
    "bad_label_negative": found[-1],
    "bad_label_too_large": found[3],
    "bad_label_last_class": last_class,
    "smoothing": smooth,
    "binary_from_logits": from_logits,
    "binary_from_probabilities": from_probabilities,
    "binary_function": as_function,
    "pos_weight": favoured,
    "pos_weight_sample": rescaled,
    "binary_single": single,
    "binary_single_function": single_function,
    "binary_single_gradient": single_grad,
    "binary_single_pair": pair,
    "binary_single_unreduced": unreduced,
    "binary_single_from_logits": from_zero,
    "binary_edge": certain,
    "binary_edge_from_logits": far,
    "binary_labels_int64": whole,
    "binary_labels_shape": column,
    "nll": nll,
    "nll_int64": nll_int64,
    "regression_mse": mse,
    "regression_mae": mae,
    "regression_huber": huber,
    "regression_rmse": rmse,
    "smooth_l1_default": default,
    "smooth_l1_named": asked,
    "smooth_l1_like_torch": like_torch,
    "smooth_l1_beta_0": no_beta,
    "kl_div_batchmean": divergence,
    "kl_div_mean": by_element,
    "kl_log_target": log_target["nn"],
    "kl_log_target_mint": log_target["mint.nn"],
    "kl_log_target_unannounced": mistaken,
    "kl_log_target_undone": undone,
    "ranking_cosine": cosine,
    "ranking_margin": ranking,
    "ranking_hinge": hinge,
    "triplet_ready_made": ready_text,
    "triplet_by_hand": triplet,
    "triplet_distance": triplet_distance,
    "ctc": ctc,
    "ctc_gradient": ctc_grad,
    "ctc_impossible_default": infinite[False][0],
    "ctc_impossible_zero_infinity": [f"{v:.3f}" for v in infinite[True][0].tolist()],
    "ctc_impossible_replaced": infinite[True][2],
    "ctc_impossible_gradient": infinite[True][1],
    "ctc_impossible_gradient_default": infinite[False][1],
    "contrastive": clip_loss,
    "contrastive_gradient_images": gradients[0],
    "contrastive_gradient_texts": gradients[1],
    "contrastive_gradient_scale": gradients[2],
    "segmentation": segmentation,
    "segmentation_map": loss_map,
    "segmentation_rows": flat,
    "masked": masked,
    "masked_weighted": weighted_error,
    "custom_function": own_function,
    "custom_class": own_class,
    "custom_sum": own_sum,
    "several_total": total,
    "several_parts": [main.item(), penalty.item()],
    "several_gradient": weights.grad,
    "several_all_outputs": everything,
    "reductions_none": ", ".join(unreduced_by_default) or "no class",
    "reductions_mean": [defaults[name] for name in compared],
    "mint": ", ".join(working),
}
