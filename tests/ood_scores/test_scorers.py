"""Every scorer against the same contract, hand-worked values, and pytorch-ood where it has the detector."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings

import numpy as np
import pytest
import torch
from scipy import ndimage
from scipy.special import logsumexp, softmax

from caos.foundation.errors import CaosError
from caos.ood_scores.measuring.metrics import measure
from caos.ood_scores.scorer_interface.registry import make_scorer, scorer_class, scorer_info, scorer_names
from caos.ood_scores.scorer_interface.scorer import FitData, FittedScorer, Outputs
from caos.ood_scores.scorer_interface.settings import settings_of
from caos.ood_scores.scorer_interface.specifications import columns_of
from caos.ood_scores.scorers.standardized_max_logit import dilated_gaussian, suppress_boundaries
from caos.segmentation.models.queries import Queries

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pytorch_ood import detector as theirs

CLASSES, DEPTH, HEIGHT, WIDTH, QUERIES = 5, 6, 12, 20, 7
PAPER = {"msp", "max_logit", "background", "mc_dropout", "autoencoder", "confidence_branch"}
DISSERTATION = {"typicality", "logit_average", "isolation_forest", "local_outlier_factor"}
LATER = {
    *("entropy", "energy", "standardized_max_logit", "mahalanobis", "knn", "react", "ensemble"),
    *("vim", "scale", "gen", "odin", "cdnp", "neco", "dense_hybrid", "outlier_head", "void_class", "obsnet"),
    *("rba", "eam", "mask2anomaly", "uno"),
}


def fit_data(seed=0, number=400):
    g = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, CLASSES, (number,), generator=g)
    logits = torch.randn(number, CLASSES, generator=g) + 4 * torch.nn.functional.one_hot(labels, CLASSES)
    features = torch.randn(number, DEPTH, generator=g) + 3 * torch.nn.functional.one_hot(labels, DEPTH)
    return FitData(logits, labels, features, labels)


def outputs(shape=(HEIGHT, WIDTH), seed=1, **changes):
    """Outputs with every part there is; features at the resolution of the logits."""
    g = torch.Generator().manual_seed(seed)
    weight = torch.randn(CLASSES, DEPTH, generator=g)
    features = torch.rand(DEPTH, *shape, generator=g)

    def passes(number, _rate, _place):
        dropped = torch.Generator().manual_seed(seed)
        for _ in range(number):
            yield torch.randn(CLASSES, *shape, generator=dropped)

    parts = {
        "background_id": 0,
        "features": features,
        "classify": lambda values: torch.tensordot(weight, values, dims=1),
        "dropout_passes": passes,
        "confidence": torch.rand(shape, generator=g),
        "image": torch.rand(*shape, 3, generator=g),
        "reconstruction": torch.rand(*shape, 3, generator=g),
        "members": (torch.randn(CLASSES, *shape, generator=g),),
        "outlier_logits": torch.randn(2, *shape, generator=g),
        "void_probability": torch.rand(shape, generator=g),
        "queries": Queries(
            2 * torch.randn(QUERIES, CLASSES + 2, generator=g), 2 * torch.randn(QUERIES, *shape, generator=g), CLASSES
        ),
        "observed_error": torch.rand(shape, generator=g),
    } | changes
    return Outputs(torch.randn(CLASSES, *shape, generator=g) * 3, **parts)


def ready(name, **settings):
    scorer = make_scorer(name, **settings)
    if isinstance(scorer, FittedScorer):
        scorer.fit(fit_data(), np.random.default_rng(0))
    return scorer


def test_all_the_scorers_there_should_be():
    assert set(scorer_names()) >= PAPER | DISSERTATION | LATER


@pytest.mark.parametrize("name", scorer_names())
class TestContract:
    def test_gives_one_finite_number_a_pixel(self, name):
        scores = ready(name).score(outputs())
        assert scores.shape == (HEIGHT, WIDTH)
        assert scores.dtype == torch.float32
        assert torch.isfinite(scores).all()
        assert scores.unique().numel() > 1

    def test_gives_one_number_a_whole_image(self, name):
        assert ready(name).score(outputs(shape=(7,))).shape == (7,)

    def test_the_same_outputs_give_the_same_scores_and_are_left_alone(self, name):
        given = outputs()
        before = given.logits.clone()
        first = ready(name).score(given).clone()
        assert torch.equal(first, ready(name).score(outputs()))
        assert torch.equal(given.logits, before)

    def test_extreme_logits_stay_finite(self, name):
        given = outputs()
        given.logits[:, 0, 0] = torch.tensor([1e4, -1e4, 0, 0, 0])
        given.logits[:, 0, 1] = 0
        assert torch.isfinite(ready(name).score(given)).all()

    def test_is_documented_and_titled(self, name):
        info, scorer = scorer_info(name), scorer_class(name)
        assert len(info.summary) > 20
        assert any(character.isdigit() for character in info.reference), "a paper with a year"
        assert scorer.title
        assert scorer.__doc__

    def test_says_what_it_lacks(self, name):
        scorer = ready(name)
        if scorer.needs:
            with pytest.raises(CaosError, match="this scorer needs .*which these outputs do not have"):
                scorer.score(Outputs(torch.zeros(CLASSES, 4, 4)))

    def test_does_not_score_before_it_is_fitted(self, name):
        scorer = make_scorer(name)
        if isinstance(scorer, FittedScorer):
            with pytest.raises(CaosError, match=f"scorer '{name}' must be fitted"):
                scorer.score(outputs())

    def test_keeps_its_settings_under_their_names(self, name):
        scorer = make_scorer(name)
        assert type(scorer)(**settings_of(scorer)).__dict__.keys() == scorer.__dict__.keys()

    def test_survives_a_process_boundary(self, name):
        import pickle

        scorer = ready(name)
        copied = pickle.loads(pickle.dumps(scorer))
        assert torch.equal(copied.score(outputs()), scorer.score(outputs()))


LOGITS = np.array([[2.0, 1.0, 0.0], [0.0, 0.0, 0.0], [5.0, -5.0, 1.0]], np.float32)


def score(name, logits=LOGITS, **settings):
    return make_scorer(name, **settings).score(Outputs.of(logits)).numpy()


class TestHandWorked:
    def test_msp(self):
        assert score("msp") == pytest.approx(1 - softmax(LOGITS, axis=1).max(axis=1), abs=1e-6)
        assert score("msp")[1] == pytest.approx(2 / 3)

    def test_msp_tells_apart_what_float32_rounds_to_certainty(self):
        scores = score("msp", np.array([[20.0, 0.0], [22.0, 0.0], [24.0, 0.0]], np.float32))
        assert scores == pytest.approx(np.exp([-20.0, -22.0, -24.0]), rel=1e-3)

    def test_max_logit(self):
        assert score("max_logit").tolist() == [-2.0, 0.0, -5.0]

    def test_logit_average(self):
        assert score("logit_average") == pytest.approx([-1.0, 0.0, -1 / 3])

    def test_energy(self):
        assert score("energy") == pytest.approx(-logsumexp(LOGITS, axis=1), abs=1e-6)
        assert score("energy", temperature=2.0) == pytest.approx(-2 * logsumexp(LOGITS / 2, axis=1), abs=1e-6)

    def test_entropy(self):
        assert score("entropy")[1] == pytest.approx(math.log(3))
        p = softmax(LOGITS.astype(np.float64), axis=1)
        assert score("entropy") == pytest.approx(-(p * np.log(p)).sum(axis=1), abs=1e-5)

    def test_background(self):
        given = Outputs.of(LOGITS, background_id=1)
        assert make_scorer("background").score(given).numpy() == pytest.approx(softmax(LOGITS, axis=1)[:, 1], abs=1e-7)

    def test_confidence_branch(self):
        given = outputs(confidence=torch.tensor([[0.25, 1.0]]))
        assert make_scorer("confidence_branch").score(given).tolist() == [[0.75, 0.0]]

    def test_obsnet_is_what_the_observer_says(self):
        given = Outputs(torch.zeros(2, 1, 2), observed_error=torch.tensor([[0.25, 1.0]]))
        assert make_scorer("obsnet").score(given).tolist() == [[0.25, 1.0]]

    def test_autoencoder_is_the_mean_absolute_difference(self):
        given = outputs(image=torch.tensor([[[0.0, 0.5, 1.0]]]), reconstruction=torch.tensor([[[0.3, 0.5, 0.4]]]))
        assert make_scorer("autoencoder").score(given).item() == pytest.approx(0.3)

    def test_ensemble_averages_probabilities_not_logits(self):
        given = Outputs.of(np.array([[0.0, math.log(3)]], np.float32), members=(torch.tensor([[math.log(3)], [0.0]]),))
        assert make_scorer("ensemble").score(given).item() == pytest.approx(0.5)

    def test_mc_dropout_is_the_mean_variance_of_the_probabilities(self):
        passes = [torch.tensor([[0.0], [math.log(p / (1 - p))]]) for p in (0.2, 0.5, 0.8)]
        given = Outputs(torch.zeros(2, 1), dropout_passes=lambda number, *_: iter(passes[:number]))
        assert make_scorer("mc_dropout", passes=3).score(given).item() == pytest.approx(0.09)

    def test_mc_dropout_asks_for_passes_rate_and_place_and_states_them(self):
        asked = []

        def passes(*how):
            asked.append(how)
            return iter([torch.zeros(2, 1)] * how[0])

        make_scorer("mc_dropout").score(Outputs(torch.zeros(2, 1), dropout_passes=passes))
        other = make_scorer("mc_dropout", passes=4, rate=0.3, place="values")
        other.score(Outputs(torch.zeros(2, 1), dropout_passes=passes))
        assert asked == [(10, None, "channels"), (4, 0.3, "values")]
        assert other.note == "variance over 4 passes; dropped is a share of 0.3 of the values that enter the classifier"

    def test_typicality_by_hand(self):
        # Two typical posteriors: (0.8, 0.2) and (0.25, 0.75).
        def logit(p):
            return [math.log(p), math.log(1 - p)]

        scorer = make_scorer("typicality")
        fit = FitData(torch.tensor([logit(0.9), logit(0.7), logit(0.25)]), torch.zeros(3, dtype=torch.long))
        scorer.fit(fit, np.random.default_rng(0))
        p = np.array([0.5, 0.5])
        divergences = [(p * np.log(p / d)).sum() for d in ([0.8, 0.2], [0.25, 0.75])]
        given = Outputs.of(np.array([logit(0.5), logit(0.8)], np.float32))
        assert scorer.score(given).numpy() == pytest.approx([min(divergences), 0.0], abs=1e-6)

    def test_multi_label_typicality_sums_over_the_present_classes(self):
        scorer = make_scorer("typicality", multi_label=True)
        big = 4.0
        fit = FitData(torch.tensor([[big, big, -big], [-big, -big, big]]), torch.zeros(2, dtype=torch.long))
        scorer.fit(fit, np.random.default_rng(0))
        usual, strange, empty = scorer.score(Outputs.of(np.array([[4, 4, -4], [4, -4, 4], [-4, -4, -4.0]], np.float32)))
        # Two classes are present and both typical rows are the output itself.
        assert usual.item() == pytest.approx(0.0, abs=1e-5)
        assert strange.item() > 1.0
        assert empty.item() > 0.1

    def test_standardised_max_logit(self):
        data = FitData(torch.tensor([[3.0, 0], [5.0, 0], [0, 10.0], [0, 30.0]]), torch.zeros(4, dtype=torch.long))
        scorer = make_scorer("standardized_max_logit")
        scorer.fit(data, np.random.default_rng(0))
        scores = scorer.score(Outputs.of(np.array([[6.0, 0], [0.0, 6.0]], np.float32)))
        assert scores.tolist() == pytest.approx([-(6 - 4) / math.sqrt(2), (20 - 6) / math.sqrt(200)])

    def test_isolation_forest_and_lof_see_what_is_far_from_ordinary(self):
        data = FitData(torch.randn(2000, 3) + torch.tensor([10.0, 0, 0]), torch.zeros(2000, dtype=torch.long))
        given = Outputs.of(np.array([[10.0, 0, 0], [1.0, 0, 0], [25.0, 0, 0]], np.float32))
        for name in ("isolation_forest", "local_outlier_factor"):
            scorer = make_scorer(name)
            scorer.fit(data, np.random.default_rng(0))
            usual, low, high = scorer.score(given)
            assert usual < min(low, high), name

    @pytest.mark.parametrize("name", ["isolation_forest", "local_outlier_factor"])
    def test_the_table_equals_scikit_learn(self, name):
        scorer = ready(name)
        numbers = np.linspace(1.0, 6.0, 500, dtype=np.float32)
        logits = np.stack([numbers, numbers - 9], axis=1)
        detector = scorer._forest if name == "isolation_forest" else scorer._factor
        direct = -detector.score_samples(numbers[:, None])
        tabulated = scorer.score(Outputs.of(logits)).numpy()
        assert np.median(np.abs(tabulated - direct)) < 1e-3
        assert np.corrcoef(tabulated, direct)[0, 1] > 0.999

    @pytest.mark.parametrize("name", ["isolation_forest", "local_outlier_factor"])
    def test_all_logits_as_the_space(self, name):
        scorer = ready(name, space="logits")
        given = outputs()
        detector = scorer._forest if name == "isolation_forest" else scorer._factor
        direct = -detector.score_samples(given.logits.reshape(CLASSES, -1).T.numpy()).reshape(HEIGHT, WIDTH)
        assert scorer.score(given).numpy() == pytest.approx(direct, abs=1e-5)

    @pytest.mark.parametrize(
        ("name", "settings"), [("mahalanobis", {}), ("knn", {"k": 1}), ("cdnp", {"energy": False})]
    )
    def test_layers_are_read_apart_and_an_unknown_encoder_is_the_classifiers(self, name, settings):
        rng = np.random.default_rng(0)
        near, far = (torch.tensor(rng.normal(size=(60, 3)), dtype=torch.float32) for _ in range(2))
        labels = torch.arange(60) % 2
        data = FitData(torch.zeros(60, 2), labels, near, labels, encoder_features=far)
        outputs = Outputs(torch.zeros(2, 5), features=near[:5].T + 9, encoder_features=far[:5].T)
        scores = {}
        for layer in ("encoder", "classifier"):
            scorer = make_scorer(name, layer=layer, **settings)
            scorer.fit(data, np.random.default_rng(0))
            scores[layer] = scorer.score(outputs)
            alone = Outputs(torch.zeros(2, 5), features=(far if layer == "encoder" else near)[:5].T)
            assert scorer.score(alone).shape == (5,)
        assert scores["encoder"].mean() < scores["classifier"].mean()

    def test_mahalanobis_of_a_known_gaussian(self):
        g = torch.Generator().manual_seed(0)
        features = torch.randn(20_000, 2, generator=g) * torch.tensor([1.0, 3.0])
        labels = torch.zeros(20_000, dtype=torch.long)
        scorer = make_scorer("mahalanobis", shrinkage=0.0)
        scorer.fit(FitData(features, labels, features, labels), np.random.default_rng(0))
        given = Outputs(torch.zeros(2, 2), features=torch.tensor([[2.0, 0.0], [0.0, 3.0]]))
        assert scorer.score(given).numpy() == pytest.approx([4.0, 1.0], abs=0.1)


class TestAgainstPytorchOod:
    data, given = fit_data(), outputs(shape=(50,))

    def logits(self):
        return self.given.logits.T

    def test_msp(self):
        assert score("msp", self.logits()) - 1 == pytest.approx(
            theirs.MaxSoftmax.score(self.logits()).numpy(), abs=1e-6
        )

    def test_max_logit(self):
        assert score("max_logit", self.logits()) == pytest.approx(theirs.MaxLogit.score(self.logits()).numpy())

    def test_energy(self):
        assert score("energy", self.logits()) == pytest.approx(
            theirs.EnergyBased.score(self.logits()).numpy(), abs=1e-5
        )

    def test_entropy(self):
        assert score("entropy", self.logits()) == pytest.approx(theirs.Entropy.score(self.logits()).numpy(), abs=1e-5)

    def test_typicality(self):
        detector = theirs.KLMatching(None).fit_logits(self.data.logits, self.data.labels)
        expected = detector.predict_logits(self.logits()).numpy()
        assert ready("typicality").score(self.given).numpy() == pytest.approx(expected, abs=1e-4)

    def test_knn(self):
        detector = theirs.KNN(None, k=5).fit_features(self.data.features, self.data.labels)
        expected = detector.predict_features(self.given.features.T).numpy()
        assert ready("knn").score(self.given).numpy() == pytest.approx(expected, abs=1e-3)

    def test_mahalanobis(self):
        detector = theirs.Mahalanobis(None).fit_features(self.data.features, self.data.labels)
        expected = detector.predict_features(self.given.features.T)
        ours = ready("mahalanobis", shrinkage=0.0).score(self.given)
        assert np.corrcoef(ours, expected)[0, 1] > 0.9999

    def test_mc_dropout(self):
        model = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(DEPTH, CLASSES))
        x = self.given.features.T
        torch.manual_seed(4)
        expected = theirs.MCD(model, samples=8, mode="var").predict(x).detach().numpy()
        torch.manual_seed(4)

        def passes(number, _rate, _place):
            model.train()
            for _ in range(number):
                yield model(x).T

        with torch.no_grad():
            given = Outputs(torch.zeros(CLASSES, len(x)), dropout_passes=passes)
            assert make_scorer("mc_dropout", passes=8).score(given).numpy() == pytest.approx(expected, abs=1e-6)

    def test_react(self):
        scorer = ready("react", percentile=80.0)
        clipped = self.given.features.clamp(max=float(np.percentile(self.data.features.numpy(), 80)))
        expected = theirs.EnergyBased.score(self.given.classify(clipped).T).numpy()
        assert scorer.score(self.given).numpy() == pytest.approx(expected, abs=1e-5)


def test_layouts_agree():
    stack = torch.randn(2, CLASSES, HEIGHT, WIDTH)
    for name in ("msp", "max_logit", "entropy", "energy", "logit_average", "background"):
        scorer = make_scorer(name)
        whole = scorer.score(Outputs.of(stack, background_id=2))
        assert whole.shape == (2, HEIGHT, WIDTH)
        assert torch.allclose(whole[1], scorer.score(Outputs.of(stack[1], background_id=2)), atol=1e-6)
        rows = stack[1].reshape(CLASSES, -1).T
        assert torch.allclose(whole[1].reshape(-1), scorer.score(Outputs.of(rows, background_id=2)), atol=1e-6)
    fitted = ready("standardized_max_logit")
    assert torch.allclose(fitted.score(Outputs.of(stack))[1], fitted.score(Outputs.of(stack[1])), atol=1e-6)


def test_predictions_take_the_first_of_equal_logits():
    logits = torch.randn(CLASSES, 40_000)
    logits[:, 0] = 1.0
    given = Outputs(logits)
    assert given.prediction.dtype == torch.uint8
    assert torch.equal(given.prediction.long(), logits.argmax(dim=0))
    assert torch.allclose(given.probabilities.sum(dim=0), torch.ones(40_000), atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("name", ["msp", "max_logit", "energy", "entropy", "gen", "odin", "background"])
def test_logits_of_a_network_that_learns_are_scored_too(name, dtype):
    logits = torch.randn(CLASSES, HEIGHT, WIDTH).to(dtype)
    learning = logits.clone().requires_grad_()
    for outputs in (Outputs(learning, background_id=0), Outputs.of(learning, background_id=0)):
        assert outputs.prediction.shape == (HEIGHT, WIDTH)
        found = make_scorer(name).score(outputs)
        assert not found.requires_grad
        wanted = make_scorer(name).score(Outputs.of(logits, background_id=0))
        is_rough = dtype == torch.bfloat16
        assert torch.allclose(found.float(), wanted, rtol=0.02 if is_rough else 1e-4, atol=0.05 if is_rough else 1e-6)


@pytest.mark.parametrize("shape", [(5,), (1, 4, 4), (2, 3, 4, 5, 6), (300, 4, 4)])
def test_logits_of_other_shapes_are_refused(shape):
    with pytest.raises(CaosError, match="logits must"):
        Outputs.of(torch.zeros(shape))


def test_whole_image_detection_works_with_the_same_scorers():
    # Table 4.2 in small: ordinary images have one high logit, foreign ones none.
    rng = np.random.default_rng(0)
    ordinary = rng.normal(size=(300, 10)) + 6 * np.eye(10)[rng.integers(0, 10, 300)]
    foreign = rng.normal(size=(100, 10))
    logits = np.concatenate([ordinary, foreign]).astype(np.float32)
    anomalous = np.arange(400) >= 300
    data = FitData(torch.from_numpy(logits[:200]), torch.zeros(200, dtype=torch.long))
    for name in ("msp", "max_logit", "energy", "entropy", "typicality", "standardized_max_logit"):
        scorer = make_scorer(name)
        if isinstance(scorer, FittedScorer):
            scorer.fit(data, rng)
        assert measure(scorer.score(Outputs.of(logits)).numpy(), anomalous).auroc > 0.95, name


def test_boundaries_are_suppressed_from_the_outside_in():
    prediction = np.zeros((40, 40), np.uint8)
    prediction[:, 20:] = 1
    score = np.zeros((40, 40), np.float32)
    score[:, 18:22] = 9.0
    cleaned = suppress_boundaries(score, prediction)
    assert cleaned.max() < 1.0
    assert np.array_equal(suppress_boundaries(score, np.zeros((40, 40), np.uint8)), score)


def test_boundaries_are_as_wide_as_the_paper_says():
    """Against distances in steps along rows and columns, by scipy."""
    rng = np.random.default_rng(5)
    prediction = np.repeat(np.repeat(rng.integers(0, 3, (5, 7), np.uint8), 11, axis=0), 13, axis=1)
    score = rng.normal(size=prediction.shape).astype(np.float32)
    edge = ndimage.morphological_gradient(prediction, footprint=ndimage.generate_binary_structure(2, 1)) > 0
    distance = ndimage.distance_transform_cdt(~edge, metric="taxicab")
    wanted = score.astype(np.float64)
    for width in (8, 6, 4, 2):
        outside = distance >= width / 2
        around = {"weights": np.ones((3, 3)), "mode": "constant"}
        total, count = ndimage.correlate(wanted * outside, **around), ndimage.correlate(outside.astype(float), **around)
        wanted = np.where(~outside & (count > 0), total / np.maximum(count, 1), wanted)
    assert np.allclose(suppress_boundaries(score, prediction), wanted, atol=1e-5)


@pytest.mark.parametrize("shape", [(50, 61), (1, 40), (40, 1), (3, 3)])
def test_dilated_smoothing_is_that_of_scipy(shape):
    score = np.random.default_rng(6).normal(size=shape).astype(np.float32)
    kernel = np.zeros(37)
    kernel[::6] = np.exp(-0.5 * np.arange(-3, 4) ** 2.0)
    wanted = score.astype(np.float64)
    for axis in range(2):
        wanted = ndimage.correlate1d(wanted, kernel / kernel.sum(), axis=axis, mode="nearest")
    assert np.allclose(dilated_gaussian(score), wanted, atol=1e-6)


def test_dilated_smoothing_keeps_a_constant_and_spreads_a_peak():
    assert dilated_gaussian(np.full((50, 50), 2.0, np.float32)) == pytest.approx(2.0)
    peak = np.zeros((51, 51), np.float32)
    peak[25, 25] = 1.0
    smooth = dilated_gaussian(peak)
    assert smooth.sum() == pytest.approx(1.0)
    assert smooth[25, 31] > 0
    assert smooth[25, 28] == 0


def test_names_are_looked_up_with_a_hint():
    assert [column.name for column in columns_of(" msp , max_logit,msp")] == ["msp", "max_logit"]
    assert tuple(column.name for column in columns_of("all")) == scorer_names()
    with pytest.raises(CaosError, match="unknown scorer 'enrgy'; did you mean 'energy'"):
        columns_of("msp,enrgy")
    with pytest.raises(CaosError, match="no scorer in ' , '"):
        columns_of(" , ")


def test_bad_settings_are_told():
    with pytest.raises(CaosError, match="at least 2 dropout passes, not 1"):
        make_scorer("mc_dropout", passes=1)
    with pytest.raises(CaosError, match="unknown space 'logit'; did you mean 'logits'"):
        make_scorer("isolation_forest", space="logit")
    with pytest.raises(CaosError, match="more than 20 distinct values, not 1"):
        few = FitData(torch.zeros(5, 3), torch.zeros(5, dtype=torch.long))
        make_scorer("local_outlier_factor").fit(few, np.random.default_rng(0))
    with pytest.raises(CaosError, match="'knn' is fitted on features, and none were given"):
        make_scorer("knn").fit(FitData(torch.zeros(5, 3), torch.zeros(5)), np.random.default_rng(0))


def test_listing_the_scorers_imports_nothing_heavy():
    code = (
        "import sys; from caos.ood_scores.scorer_interface.registry import *; "
        "[scorer_info(n) for n in scorer_names()]; "
        "import caos.ood_scores.cli; print(sorted({'torch', 'sklearn', 'cv2', 'scipy', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
