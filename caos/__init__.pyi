from . import datasets
from .assets.catalogue.library import Library
from .assets.catalogue.object_file import HazardObject
from .assets.mesh import Material, Mesh
from .foundation.command_line.extras import MissingExtraError
from .foundation.errors import CaosError
from .foundation.execution.progress import Progress, Terminal
from .ood_scores.evaluation.options import JudgingOptions, ScoringOptions
from .ood_scores.evaluation.scoring import score_dataset, score_model
from .ood_scores.looking.looking import Look, LookedAt, LookOptions, look
from .ood_scores.looking.regions import ForeignRegion
from .ood_scores.measuring.metrics import Measures, measure
from .ood_scores.measuring.noticing import StoppingRules
from .ood_scores.measuring.protocols import PROTOCOLS, Protocol
from .ood_scores.report.build import Site, build_site
from .ood_scores.report.comparison_site import Compared, build_comparison, compared
from .ood_scores.report.noticed_video import write_noticed_videos
from .ood_scores.results import Results
from .ood_scores.scorer_interface.registry import make_scorer, scorer_names
from .ood_scores.scorer_interface.scorer import FitData, FittedScorer, Outputs, Scorer
from .ood_scores.sources.map_files import MapSource
from .ood_scores.sources.mask_transformer import MaskTransformer
from .ood_scores.sources.model import ModelSource
from .ood_scores.sources.source import Source
from .scenes.converting.photographs import PhotoConversion, convert_release
from .scenes.dataset.card import dataset_card
from .scenes.dataset.layout import Dataset, Sample, open_dataset
from .scenes.exporting.formats import export_set
from .scenes.exporting.job import Exported
from .scenes.generation.generate import Place, Summary, generate
from .scenes.labels import LabelTable
from .scenes.recipes.recipe import Recipe, load_recipe
from .scenes.scene import Hazard, Scene, read_scene
from .scenes.sensors.lidar_files import read_scan
from .scenes.shifting.shift import ShiftSummary, shift_set
from .scenes.viewing.sensor_sheet import write_sensor_picture
from .scenes.viewing.video import write_videos
from .segmentation.augmentation.sheet import augmentation_sheet
from .segmentation.models.queries import Queries
from .segmentation.prediction.predict import Prediction, Predictor
from .segmentation.training.config import TrainConfig, make_config
from .segmentation.training.train import train
from .simulator.embedded.launch import ServerProcess, serve
from .simulator.instances import instance_owners
from .simulator.session import Session
from .studies.corruptions.study import CorruptionSettings, study_corruptions
from .studies.exposure.study import ExposureSettings, study_exposure
from .studies.filtration import Filtered, FilterSettings, filter_scenes
from .studies.framework.study import Study, StudyContent, read_study
from .studies.hypotheses.study import HypothesisSettings, study_hypotheses
from .studies.membership.study import MembershipSettings, study_membership
from .studies.perturbations.study import PerturbationSettings, study_perturbations
from .studies.rendered.study import RenderedSettings, study_rendered
from .studies.shifts.study import ShiftSettings, study_shifts
from .studies.transfer.study import TransferSettings, study_transfer
from .studies.transfer_hard.study import HardSettings, study_transfer_hard
from .studies.whole_images.study import WholeImageSettings, study_whole_images

__all__ = [
    "PROTOCOLS",
    "CaosError",
    "Compared",
    "CorruptionSettings",
    "Dataset",
    "Exported",
    "ExposureSettings",
    "FilterSettings",
    "Filtered",
    "FitData",
    "FittedScorer",
    "ForeignRegion",
    "HardSettings",
    "Hazard",
    "HazardObject",
    "HypothesisSettings",
    "JudgingOptions",
    "LabelTable",
    "Library",
    "Look",
    "LookOptions",
    "LookedAt",
    "MapSource",
    "MaskTransformer",
    "Material",
    "Measures",
    "MembershipSettings",
    "Mesh",
    "MissingExtraError",
    "ModelSource",
    "Outputs",
    "PerturbationSettings",
    "PhotoConversion",
    "Place",
    "Prediction",
    "Predictor",
    "Progress",
    "Protocol",
    "Queries",
    "Recipe",
    "RenderedSettings",
    "Results",
    "Sample",
    "Scene",
    "Scorer",
    "ScoringOptions",
    "ServerProcess",
    "Session",
    "ShiftSettings",
    "ShiftSummary",
    "Site",
    "Source",
    "StoppingRules",
    "Study",
    "StudyContent",
    "Summary",
    "Terminal",
    "TrainConfig",
    "TransferSettings",
    "WholeImageSettings",
    "augmentation_sheet",
    "build_comparison",
    "build_site",
    "compared",
    "convert_release",
    "dataset_card",
    "datasets",
    "export_set",
    "filter_scenes",
    "generate",
    "instance_owners",
    "load_recipe",
    "look",
    "make_config",
    "make_scorer",
    "measure",
    "open_dataset",
    "read_scan",
    "read_scene",
    "read_study",
    "score_dataset",
    "score_model",
    "scorer_names",
    "serve",
    "shift_set",
    "study_corruptions",
    "study_exposure",
    "study_hypotheses",
    "study_membership",
    "study_perturbations",
    "study_rendered",
    "study_shifts",
    "study_transfer",
    "study_transfer_hard",
    "study_whole_images",
    "train",
    "write_noticed_videos",
    "write_sensor_picture",
    "write_videos",
]
__version__: str
