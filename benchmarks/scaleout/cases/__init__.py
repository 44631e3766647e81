"""The cases of the proof. Each takes the stand and returns its verdict."""

from collections.abc import Callable

from benchmarks.scaleout.cases import caches, cut_off, files, leaders, processes, restore, upgrade
from benchmarks.scaleout.stand import Stand
from benchmarks.scaleout.verdict import Verdict

CASES: dict[str, Callable[[Stand], Verdict]] = {
    "S1": leaders.leader_killed,
    "S2": leaders.switched_over,
    "S3": caches.master_killed,
    "S4": caches.both_away,
    "S5": processes.all_restarted,
    "S6": cut_off.web_machine,
    "S7": processes.worker_killed,
    "S8": processes.pooler_restarted,
    "S9": upgrade.upgraded,
    "S10": restore.restored,
    "S11": files.store_killed,
    "S12": leaders.leader_cut_off_from_etcd,
}
