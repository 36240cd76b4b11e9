"""Hand-worked values of the detectors of recent years, and pytorch-ood where it has them."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import torch

from caos.foundation.errors import CaosError
from caos.ood_scores.command import Request, run_request
from caos.ood_scores.scorer_interface import scorer as scorer_module
from caos.ood_scores.scorer_interface.registry import make_scorer
from caos.ood_scores.scorer_interface.scorer import FitData, Outputs
from caos.ood_scores.scorer_interface.specifications import columns_of
from caos.ood_scores.sources.run import RunPaths, RunSource
from caos.ood_scores.sources.torch_model import TorchModelSource
from caos.scenes.labels import PHOTOGRAPHS
from tests.ood_scores import little
from tests.ood_scores.test_scorers import CLASSES, DEPTH, fit_data, outputs, ready

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pytorch_ood import detector as theirs


def fitted(name, logits, features, **settings):
    scorer = make_scorer(name, **settings)
    labels = torch.zeros(len(logits), dtype=torch.long)
    scorer.fit(FitData(torch.tensor(logits), labels, torch.tensor(features), labels), np.random.default_rng(0))
    return scorer


def seen(logits, features):
    """Outputs of whole images: logits and features one row an image."""
    return Outputs.of(torch.tensor(logits), features=torch.tensor(features).T)


class TestGen:
    def test_by_hand(self):
        # Probabilities 1/2, 1/4, 1/4; at g = 1/2: sqrt(1/4) + 2 sqrt(3/16).
        given = Outputs.of(torch.tensor([[math.log(2), 0.0, 0.0]]))
        assert make_scorer("gen", gamma=0.5).score(given).item() == pytest.approx(0.5 + math.sqrt(3) / 2)
        assert make_scorer("gen", gamma=0.5, classes=2).score(given).item() == pytest.approx(0.5 + math.sqrt(3) / 4)

    @pytest.mark.parametrize("classes", [2, 100])
    def test_tells_apart_what_float32_rounds_to_certainty(self, classes):
        given = Outputs.of(torch.tensor([[20.0, 0.0, -90.0], [24.0, 0.0, -90.0]]))
        # Both of the likeliest classes add exp(-20 g) each, the third next to nothing.
        expected = [2 * math.exp(-2.0), 2 * math.exp(-2.4)]
        assert make_scorer("gen", classes=classes).score(given).tolist() == pytest.approx(expected, abs=2e-4)

    @pytest.mark.parametrize(("classes", "number"), [(100, CLASSES), (2, 2)])
    def test_is_that_of_pytorch_ood(self, classes, number):
        given = outputs(shape=(50,))
        expected = theirs.GEN.score(given.logits.T.double(), gamma=0.1, M=number) * number
        assert make_scorer("gen", classes=classes).score(given).numpy() == pytest.approx(expected.numpy(), abs=1e-3)


class TestOdin:
    def test_by_hand(self):
        # At T = 2 the probabilities are 2/3 and 1/3.
        given = Outputs.of(torch.tensor([[2 * math.log(2), 0.0], [5.0, 5.0]]))
        assert make_scorer("odin", temperature=2.0).score(given).tolist() == pytest.approx([-math.log(4 / 3), 0.0])

    def test_orders_as_the_largest_probability_at_the_temperature(self):
        given = outputs(shape=(50,))
        probability = (given.logits.double() / 1000).softmax(dim=0).amax(dim=0)
        expected = -(CLASSES * probability).log()
        assert make_scorer("odin").score(given).numpy() == pytest.approx(expected.numpy(), rel=1e-4)

    @pytest.mark.parametrize("spread", [1.0, 99.0, 101.0, 1000.0, 50_000.0])
    def test_series_and_exponential_give_the_same_numbers(self, spread):
        """Differences of logits up to a tenth of the temperature are taken by the series, larger ones not."""
        logits = torch.rand((CLASSES, 1300), generator=torch.Generator().manual_seed(1), dtype=torch.float64) * spread
        logits[0, 0], logits[1, 0] = 0.0, spread
        given = logits.float()
        cooled = (given.double() - given.double().amax(dim=0)) / 1000
        wanted = cooled.expm1().mean(dim=0).log1p()
        found = make_scorer("odin").score(Outputs(given))
        assert found.double().numpy() == pytest.approx(wanted.numpy(), rel=3e-6)

    def test_logits_with_a_gradient_are_perturbed_too(self):
        given = torch.tensor([[2 * math.log(2)], [0.0]], requires_grad=True)
        scorer = make_scorer("odin", temperature=2.0, perturbation=0.25)
        score = scorer.score(Outputs(torch.zeros(2, 1), perturbed_logits=lambda *_: given * 1))
        assert score.item() == pytest.approx(-math.log(4 / 3))

    def test_perturbed_logits_are_asked_for_with_temperature_and_step(self):
        asked = []

        def perturbed(temperature, step):
            asked.append((temperature, step))
            return torch.tensor([[2 * math.log(2)], [0.0]])

        scorer = make_scorer("odin", temperature=2.0, perturbation=0.25)
        score = scorer.score(Outputs(torch.zeros(2, 1), perturbed_logits=perturbed))
        assert score.item() == pytest.approx(-math.log(4 / 3))
        assert asked == [(2.0, 0.25)]

    def test_a_perturbation_without_a_gradient_is_refused(self, data, run, tmp_path):
        with pytest.raises(CaosError, match="this scorer needs perturbed logits, which these outputs do not have"):
            make_scorer("odin", perturbation=0.001).score(outputs())
        words = "scorer 'odin:perturbation=0.001' cannot run: a run gives no gradient at the picture"
        with pytest.raises(CaosError, match=words):
            run_request(Request(data, run, tmp_path / "out", scorers="odin:perturbation=0.001"))
        assert not (tmp_path / "out").exists()

    def test_a_torch_model_moves_the_picture_to_where_it_is_surer(self):
        # Logits are the red and the green value: where red leads, it grows by the step and green shrinks.
        network = torch.nn.Conv2d(3, 2, 1, bias=False)
        network.weight.data = torch.eye(2, 3)[..., None, None]
        source = TorchModelSource(network, columns_of("odin:temperature=1:perturbation=0.125"), PHOTOGRAPHS)
        image = np.array([[[204, 51, 0], [51, 102, 0]]], np.uint8)
        with torch.inference_mode():
            scores = source.scorer_columns[0].scorer.score(source.outputs("one", image))
        gaps = np.array([0.6 + 0.25, 0.2 + 0.25])
        assert scores.numpy() == pytest.approx(-np.log(2 / (1 + np.exp(-gaps)))[None], abs=1e-6)

    def test_a_model_without_a_gradient_is_told(self):
        def model(pictures):
            return pictures[:, :2].detach()

        source = TorchModelSource(model, columns_of("odin:perturbation=0.125"), PHOTOGRAPHS)
        given = source.outputs("one", np.zeros((1, 2, 3), np.uint8))
        with pytest.raises(CaosError, match="the model gives no gradient at the picture 'one': leave the perturbation"):
            source.scorer_columns[0].scorer.score(given)


class TestScale:
    def test_by_hand(self):
        # Of features 1, 2, 3 and -4 the largest half is 3 and 2: all positive ones are 6/5 of it.
        given = Outputs(
            torch.zeros(2, 1),
            features=torch.tensor([[1.0], [2.0], [3.0], [-4.0]]),
            classify=lambda values: torch.stack([values[0] + values[3], values[1]]),
        )
        factor = math.exp(6 / 5)
        expected = -math.log(math.exp(-3 * factor) + math.exp(2 * factor))
        assert make_scorer("scale", percentile=50.0).score(given).item() == pytest.approx(expected, rel=1e-6)

    def test_features_without_anything_positive_are_left_as_they_are(self):
        given = outputs(features=-torch.ones(DEPTH, 2, 2))
        expected = -given.classify(given.features).logsumexp(dim=0)
        assert torch.allclose(make_scorer("scale").score(given), expected)


FOUR = [[3.0, 1.0], [-3.0, 1.0], [3.0, -1.0], [-3.0, -1.0]]
"""Features around zero whose principal axis is the first."""


class TestVim:
    def test_by_hand(self):
        # The mean largest logit is 4 and the mean residual 1: the virtual logit is 4 |second feature|.
        scorer = fitted("vim", [[4.0, 0.0], [0.0, 4.0]], FOUR)
        scores = scorer.score(seen([[0.0, 0.0], [1.0, 1.0]], [[100.0, 0.5], [0.0, -2.0]]))
        assert scores.tolist() == pytest.approx([2 - math.log(2), 8 - 1 - math.log(2)], rel=1e-5)

    def test_distances_are_from_the_mean_of_the_ordinary_features(self):
        moved = [[first + 7, second + 20] for first, second in FOUR]
        scorer = fitted("vim", [[4.0, 0.0], [0.0, 4.0]], moved)
        assert scorer.score(seen([[0.0, 0.0]], [[-40.0, 20.5]])).item() == pytest.approx(2 - math.log(2), rel=1e-4)

    def test_is_that_of_pytorch_ood_where_the_centres_agree(self):
        features = fit_data().features
        features = features - features.mean(dim=0)
        weight = torch.randn(CLASSES, DEPTH, generator=torch.Generator().manual_seed(3))
        detector = theirs.ViM(None, 3, weight, torch.zeros(CLASSES)).fit_features(features, torch.zeros(400))
        other = torch.randn(50, DEPTH, generator=torch.Generator().manual_seed(4)) * 3
        labels = torch.zeros(400, dtype=torch.long)
        scorer = make_scorer("vim")
        scorer.fit(FitData(features @ weight.T, labels, features, labels), np.random.default_rng(0))
        ours = scorer.score(Outputs.of(other @ weight.T, features=other.T))
        assert ours.numpy() == pytest.approx(detector.predict_features(other).numpy(), abs=1e-3)


class TestNeco:
    def test_by_hand(self):
        # Features (a, a + b, ...) standardised: the first two are equal, so the principal axis is their diagonal.
        scorer = fitted("neco", [[0.0, 0.0]], [[2.0, 5.0], [-2.0, -5.0]])
        # Standardised (1, 1): all inside. (1, -1): all outside. (1, 0): the share is 1 / sqrt 2.
        scores = scorer.score(seen([[6.0, 0.0]] * 3, [[2.0, 5.0], [2.0, -5.0], [2.0, 0.0]]))
        assert scores.tolist() == pytest.approx([-6.0, 0.0, -6 / math.sqrt(2)], abs=1e-5)

    def test_the_space_grows_with_what_it_must_explain(self):
        # Two uncorrelated features: each explains half.
        for explained, inside in ((0.5, 1), (0.51, 2)):
            scorer = fitted("neco", [[0.0, 0.0]], FOUR, explained=explained)
            found = scorer.score(seen([[1.0, 0.0]] * 2, [[3.0, 0.0], [0.0, 1.0]]))
            assert (found < -0.99).sum().item() == inside


class TestCdnp:
    def test_by_hand(self):
        # The farthest of the bank 0, 1, 3 from its nearest other is 3, by 2; energies range from -8 to -4.
        logits = [[8.0, -99.0], [4.0, -99.0], [5.0, -99.0]]
        scorer = fitted("cdnp", logits, [[0.0, 0.0], [1.0, 0.0], [3.0, 0.0]], k=1)
        scores = scorer.score(seen([[8.0, -99.0], [2.0, -99.0]], [[3.0, 0.0], [3.0, 4.0]]))
        assert scores.tolist() == pytest.approx([0.0, 1.5 + 2.0], abs=1e-5)

    def test_distances_are_means_over_the_nearest(self):
        bank = [[0.0], [1.0], [3.0], [7.0]]
        scorer = fitted("cdnp", [[0.0, 0.0]] * 4, bank, k=2)
        # 7 is 4 and 6 from its nearest two: mean 5; 2 is 1 from both of its nearest, 10 is 3 and 7 from its.
        scores = scorer.score(seen([[0.0, 0.0]] * 2, [[2.0], [10.0]]))
        assert scores.tolist() == pytest.approx([1 / 5, 5 / 5], abs=1e-5)

    def test_too_few_features_are_refused(self):
        with pytest.raises(CaosError, match="cdnp needs more than 3 features, not 3"):
            fitted("cdnp", [[0.0, 0.0]], [[0.0]] * 3)
        with pytest.raises(CaosError, match="keeps 3 features .bank., which must be more than k = 3"):
            make_scorer("cdnp", bank=3)


class TestBanks:
    def nearest(self, data, number):
        """Scorers on one bank, and those on banks of their own, of the same outputs."""
        together = {name: make_scorer(name, bank=number) for name in ("knn", "cdnp")}
        for scorer in together.values():
            scorer.fit(data, np.random.default_rng(0))
        given = outputs()
        return {name: (scorer.score(given), scorer.score(outputs())) for name, scorer in together.items()}, given

    def test_scorers_of_one_bank_share_its_products(self):
        data = fit_data()
        scores, given = self.nearest(data, 50)
        for shared, alone in scores.values():
            assert torch.equal(shared, alone)
        bank = data.bank("encoder", 50)
        assert bank.shape == (50, DEPTH)
        assert data.bank("encoder", 50) is bank
        first, again = (list(given.products(bank, "encoder")) for _ in range(2))
        assert all(one is other for one, other in zip(first, again, strict=True))
        features = given.encoder_features.reshape(DEPTH, -1)
        assert torch.allclose(torch.cat(first, dim=1), bank @ features, atol=1e-5)

    def test_products_that_do_not_fit_are_made_again(self, monkeypatch):
        kept, _ = self.nearest(fit_data(), 50)
        monkeypatch.setattr(scorer_module, "MOST_PRODUCTS", 10)
        made, given = self.nearest(fit_data(), 50)
        assert not given._products
        for name, (scores, _) in kept.items():
            assert torch.equal(scores, made[name][0])


@pytest.mark.parametrize("name", ["vim", "neco"])
def test_a_space_needs_two_features(name):
    with pytest.raises(CaosError, match=f"{name} needs at least 2 features, not 1"):
        fitted(name, [[0.0, 0.0]], [[1.0, 2.0]])


@pytest.mark.parametrize("name", ["vim", "neco", "cdnp"])
def test_features_that_never_change_give_finite_scores(name):
    scorer = fitted(name, [[1.0, 0.0]] * 5, [[2.0, 2.0]] * 5)
    assert torch.isfinite(scorer.score(seen([[1.0, 0.0], [0.0, 3.0]], [[2.0, 2.0], [5.0, 1.0]]))).all()


class TestHeadsForNegatives:
    def test_dense_hybrid_by_hand(self):
        # log p(outlier) = log 3/4; log sum exp = log 2.
        given = Outputs(torch.zeros(2, 1), outlier_logits=torch.tensor([[0.0], [math.log(3)]]))
        assert make_scorer("dense_hybrid").score(given).item() == pytest.approx(math.log(3 / 4) - math.log(2))

    def test_outlier_head_by_hand(self):
        given = Outputs(torch.full((2, 1), 9.0), outlier_logits=torch.tensor([[0.0], [math.log(3)]]))
        assert make_scorer("outlier_head").score(given).item() == pytest.approx(math.log(3 / 4))

    def test_void_class_is_the_probability(self):
        given = Outputs(torch.zeros(2, 2), void_probability=torch.tensor([0.25, 1.0]))
        assert make_scorer("void_class").score(given).tolist() == [0.25, 1.0]

    @pytest.mark.parametrize(("head", "name", "other"), [("outlier", "dense_hybrid", "void_class"),
                                                         ("void", "void_class", "dense_hybrid")])  # fmt: skip
    def test_a_run_hands_over_what_its_head_says(self, tmp_path, head, name, other):
        run = little.write_run(tmp_path / "run", negative_head=head)
        source = RunSource(RunPaths.around(run), (name, other, "msp"), explicit=False)
        assert source.columns == (name, "msp")
        lacking = {"void_class": "void", "dense_hybrid": "outlier"}[other]
        trained_by = {"void_class": "void_class", "dense_hybrid": "outlier_head or dense_hybrid"}[other]
        assert source.skipped() == {other: f"{run} has no {lacking} head: train it with --negatives {trained_by}"}
        image = np.random.default_rng(0).integers(0, 256, (64, 96, 3)).astype(np.uint8)
        found = source._predictor.predict(image[None])
        given = source.outputs("one", image)
        if head == "outlier":
            expected = found.outlier_logits[0].log_softmax(0)[1] - found.logits[0].logsumexp(0)
        else:
            expected = found.void_probability[0]
        assert torch.allclose(make_scorer(name).score(given), expected, atol=1e-5)

    def test_a_run_without_such_a_head_is_told_by_name(self, data, run, tmp_path):
        with pytest.raises(CaosError, match="'dense_hybrid' cannot run: .* has no outlier head: train it with --neg"):
            run_request(Request(data, run, tmp_path / "out", scorers="dense_hybrid"))
        assert not (tmp_path / "out").exists()


def test_scores_of_features_are_enlarged_to_the_picture():
    coarse = torch.rand(DEPTH, 3, 5, generator=torch.Generator().manual_seed(2))
    given = outputs(features=coarse, enlarge=lambda values: values.repeat_interleave(4, 0).repeat_interleave(4, 1))
    for name in ("vim", "neco", "cdnp", "scale"):
        assert ready(name).score(given).shape == (12, 20), name
