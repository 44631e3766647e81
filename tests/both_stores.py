"""List the tests that also run on PostgreSQL and Redis, because their results can depend on the database or the queue.

An entry is a folder, a file, or a file and the beginning of a test's name. Of these, the second run has the tests that
use a database or a running service, except those marked `one_store`. All other tests run on SQLite and the file queue
only.
"""

from collections.abc import Mapping
from typing import Any

import pytest

_REJECTED = {400, 405, 413, 415}  # a 401, 403 or 404 depends on a row that is or is not there


def marks_of(vector: Mapping[str, Any]) -> tuple[pytest.MarkDecorator, ...]:
    """Return the mark `one_store` for a vector whose only request is rejected because of its own content.

    It stores nothing, and the rows that it reads are those that every other vector reads.
    """
    is_alone = not {"before", "stored_before", "callback"} & vector["given"].keys() and "then" not in vector
    is_rejected = is_alone and vector["expect"].get("status") in _REJECTED
    errors = [one for one in vector["expect"].get("errors", []) if isinstance(one, dict)]
    is_of_content = all(one.get("error", "ValidationError") == "ValidationError" for one in errors)
    return (pytest.mark.one_store,) if is_rejected and is_of_content else ()


_SQL_AND_PLANS = (  # hand-written queries, constraints, collations, and values that one database refuses
    "config/accounts/test_lookup.py",
    "config/accounts/test_odd_input.py::test_odd_input_at_the_sign_in",
    "config/accounts/test_odd_input.py::test_odd_input_on_the_page",
    "config/console/test_find.py::test_the_search_box_suggests_pages",
    "config/databases/postgresql/test_forked.py",
    "config/databases/postgresql/test_pgbouncer.py",
    "config/databases/postgresql/test_prepared.py",
    "config/databases/postgresql/test_replica.py",
    "config/databases/postgresql/test_waiting.py::test_a_connection",
    "config/databases/postgresql/test_waiting.py::test_a_limit",
    "config/databases/postgresql/test_waiting.py::test_an_extended_limit",
    "config/databases/test_clock.py",
    "config/databases/test_concurrently.py",
    "config/databases/test_migrating.py",
    "config/databases/test_streaming.py",
    "config/databases/test_tables.py",
    "config/test_clean_up_health_check.py",
    "config/test_metrics.py",
    "config/test_pending_counts.py",
    "datasets/catalogue/",
    "datasets/columns/",
    "datasets/questions/",
    "datasets/saved_queries/",
    "datasets/imports/test_api.py",
    "datasets/imports/test_kept.py",
    "datasets/imports/test_killed.py",
    "datasets/imports/test_worker.py",
    "datasets/test_alarms.py",
    "datasets/test_alarms_on_queries.py",
    "datasets/test_answers.py",
    "datasets/test_call_statistics.py",
    "datasets/test_counters.py",
    "datasets/test_deleting.py",
    "datasets/test_dry_run.py",
    "datasets/test_emptying.py",
    "datasets/test_field_names.py",
    "datasets/test_found_token.py",
    "datasets/test_hostile_reads.py",
    "datasets/test_http.py",
    "datasets/test_keeping.py",
    "datasets/test_long_records.py",
    "datasets/test_one_person.py",
    "datasets/test_paging.py",
    "datasets/dashboards/test_public_page.py",
    "datasets/test_period_borders.py",
    "datasets/test_queries.py",
    "datasets/test_readers_in_console.py",
    "datasets/test_records.py",
    "datasets/test_schemas.py",
    "datasets/test_single_records.py",
    "datasets/test_sorting.py",
    "datasets/test_statistics.py",
    "datasets/test_store.py",
    "datasets/test_too_large.py",
    "datasets/test_unknown_fields.py::test_a_plain_name",
    "datasets/test_unknown_fields.py::test_an_empty_data_set",
    "datasets/test_unknown_fields.py::test_the_same_name",
    "notifications/api/test_budget.py",
    "notifications/api/test_key_usage.py",
    "notifications/api/test_limits_of_keys.py",
    "notifications/api/test_reading.py",
    "notifications/api/test_scheduled.py",
    "notifications/api/test_suppressions.py",
    "notifications/api/test_unsubscribe_requests.py",
    "notifications/one_person/",
    "notifications/submission/test_submit.py",
    "notifications/submission/test_template_use.py",
    "notifications/suppressions/",
    "notifications/test_models_queue.py",
    "notifications/test_one_mailbox.py",
    "notifications/test_prepared_insert.py",
    "notifications/test_prepared_select.py",
    "test_request_budgets.py",
)
_LOCKS_AND_RACES = (  # claims, leases, limits, requests at once, and a database that is away
    "config/accounts/test_forgot_password.py::test_two_people",
    "config/accounts/test_passkeys_at_once.py",
    "config/accounts/test_sign_on_accounts.py",
    "config/accounts/test_throttling.py",
    "config/console/test_invites.py",
    "config/console/test_races.py",
    "config/test_lease.py",
    "config/test_status.py",
    "datasets/test_busy.py",
    "faults/test_forced_500.py",
    "faults/test_restore.py",
    "notifications/api/test_authentication.py::test_a_key_revoked_by_another_process",
    "notifications/api/test_authentication.py::test_every_key_of_the_service",
    "notifications/api/test_authentication.py::test_the_use_of_a_key",
    "notifications/api/test_envelope.py::test_an_unavailable_database",
    "notifications/api/test_envelope.py::test_messages_are_accepted",
    "notifications/api/test_envelope.py::test_row_daily_limit",
    "notifications/api/test_envelope.py::test_row_rate_limit",
    "notifications/api/test_envelope.py::test_row_unexpected_error",
    "notifications/api/test_template_changes.py",
    "notifications/attachments/test_missing.py",
    "notifications/attachments/test_sending.py",
    "notifications/download/test_expiry.py",
    "notifications/download/test_tries.py",
    "notifications/download/test_unsubscribe.py",
    "notifications/receipts/test_final_statuses.py",
    "notifications/receipts/test_received_text.py",
    "notifications/receipts/test_receipts.py",
    "notifications/submission/test_fallbacks.py",
    "notifications/submission/test_idempotency.py",
    "notifications/submission/test_limits.py",
    "notifications/submission/test_rate.py",
    "notifications/submission/test_retry.py",
    "notifications/test_claiming.py",
    "notifications/test_counting.py",
    "notifications/test_rows_of_version_1_1.py",
    "notifications/test_sums.py",
    "notifications/test_many_at_once.py",
)
_QUEUE_AND_DELIVERY = (  # wake-ups, workers, the clock, drains, callbacks
    "cli/test_distribution.py::test_the_library",
    "config/test_clock.py",
    "config/test_damaged_queues.py",
    "config/test_deep_check.py",
    "config/test_full_queues.py",
    "config/test_periodic_jobs.py",
    "config/test_shared_commands.py::test_a_",
    "config/test_shared_commands.py::test_every_rule",
    "config/test_shared_commands.py::test_the_doctor",
    "config/test_worker_process.py",
    "faults/test_redis_emptied.py",
    "notifications/delivery/callbacks/",
    "notifications/delivery/test_drain.py",
    "notifications/delivery/test_hand_over.py",
    "notifications/delivery/test_invites.py",
    "notifications/delivery/test_pauses.py",
    "notifications/delivery/test_providers.py",
    "notifications/delivery/test_quiet_hours.py",
    "notifications/delivery/test_received_emails.py",
    "notifications/delivery/test_repeats.py",
    "notifications/delivery/test_results.py",
    "notifications/delivery/test_returned_emails.py",
    "notifications/delivery/test_scheduled.py",
    "notifications/delivery/test_worker.py",
    "notifications/sandbox/test_clock.py",
    "notifications/sandbox/test_inbox_api.py",
    "notifications/sandbox/test_outcomes.py",
    "notifications/test_redis_away.py",
    "notifications/test_tasks.py",
)
_JOBS_AND_MIGRATIONS = (  # background jobs, clean-up, the audit's triggers, `provision`
    "config/console/test_audit_chain.py",
    "config/console/test_audit_purge.py",
    "config/console/test_audit_trail.py",
    "config/console/test_clean_up_runs.py",
    "config/console/test_jobs.py",
    "config/test_upgrades.py",
    "datasets/test_provision.py",
    "datasets/test_retention.py",
    "notifications/admin/test_bulk_jobs.py",
    "notifications/attachments/test_expiry.py",
    "notifications/bulk/test_api.py",
    "notifications/bulk/test_changes.py",
    "notifications/bulk/test_killed.py",
    "notifications/bulk/test_limits_at_once.py",
    "notifications/bulk/test_retention.py",
    "notifications/bulk/test_rows.py",
    "notifications/bulk/test_steps.py",
    "notifications/management/test_provision",
    "notifications/management/test_rotate_keys.py",
    "notifications/test_migrations.py",
    "notifications/test_retention.py",
    "notifications/test_unsubscribe_requests.py",
)
_VECTORS = (
    "datasets/test_vectors.py",
    "notifications/bulk/test_vectors_over_http.py",
    "notifications/test_vectors.py",
)
_PAGES = (  # each page opens; the lists and searches that have queries of their own
    "config/console/test_every_page.py::test_the_add_page",
    "config/console/test_every_page.py::test_the_list",
    "config/console/test_every_page.py::test_the_page_of_every_row",
    "config/console/test_needs.py",
    "notifications/admin/test_message_download.py",
    "notifications/admin/test_message_log.py",
    "notifications/admin/test_message_log_plans.py",
    "notifications/admin/test_message_search.py",
    "notifications/admin/test_odd_addresses.py",
    "notifications/admin/test_statistics.py",
)
PLACES = tuple(
    f"tests/{place}"
    for places in (_SQL_AND_PLANS, _LOCKS_AND_RACES, _QUEUE_AND_DELIVERY, _JOBS_AND_MIGRATIONS, _VECTORS, _PAGES)
    for place in places
)
FILES = tuple({place.partition("::")[0] for place in PLACES})
