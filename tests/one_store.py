"""List the tests that run on SQLite only, because their results do not depend on the run's database and queue.

An entry is a folder, a file, or a file and the beginning of a test's name.

The second run, on PostgreSQL and Redis, covers hand-written SQL, locks, the queue, counters, delivery, and every vector
over HTTP. Each page of the console opens there, too: config/console/test_every_page.py.
"""

_OWN_SERVERS = (  # the test brings its own database
    "config/databases/postgresql/test_waiting.py::test_a_call_during_the_outage",
    "config/databases/postgresql/test_waiting.py::test_a_database_that_hangs_or_dies",
    "config/test_health_checks.py",
)
_PROGRAMS_AND_DOCUMENTS = (
    "browser/",
    "deploy/",
    "config/docs/",
    "config/test_examples.py",
    "config/test_logs.py",
    "config/test_makefile.py",
    "config/test_migration_rules.py",
    "config/test_own_user_alone.py",
    "config/test_production.py",
    "config/test_proxies.py",
    "config/test_readme.py",
    "config/test_up.py",
    "faults/test_scripts_in_the_console.py",
    "notifications/management/test_commands.py",
    "notifications/rendering/test_over_http.py",
    "notifications/submission/test_examples.py",
    "notifications/test_every_client_method.py",
)
_REQUESTS_BEFORE_ANY_ROW = (  # reading a body, checking a token, wording an error
    "config/test_answers.py",
    "config/test_memory.py",
    "config/test_page_bodies.py",
    "config/test_unread_body.py",
    "config/test_unreadable.py",
    "datasets/test_both_ways.py",
    "datasets/test_help.py",
    "datasets/test_value_limit.py",
    "notifications/api/test_help_keys.py",
    "notifications/api/test_hostile_tokens.py",
    "notifications/api/test_long_values.py",
    "notifications/api/test_mutations.py",
    "notifications/api/test_schema.py",
    "notifications/attachments/test_locked_pdf.py",
    "notifications/attachments/test_invalid_files.py",
    "notifications/bulk/test_dry_run.py",  # stores nothing; the same tables are sent on both
    "notifications/validation/",
)
_PAGES = (  # texts, forms and permissions of pages that read and save rows one by one
    "config/accounts/test_enrolment.py",
    "config/accounts/test_hashing.py",
    "config/accounts/test_in_the_audit.py",
    "config/accounts/test_own_account.py",
    "config/accounts/test_passkey_sign_in.py",  # test_passkeys_at_once.py runs on both
    "config/accounts/test_passkeys.py",
    "config/accounts/test_production_sign_in.py",
    "config/accounts/test_sessions.py",
    "config/accounts/test_sign_in.py",
    "config/accounts/test_single_sign_on.py",
    "config/accounts/test_users.py",
    "config/console/test_buttons.py",
    "config/console/test_clean_up_page.py",
    "config/console/test_forged_posts.py",
    "config/console/test_forms.py",
    "config/console/test_history.py",
    "config/console/test_links.py",
    "config/console/test_page_titles.py",
    "config/console/test_recent_sign_in.py",
    "config/console/test_scoping.py",
    "config/console/test_without_theme.py",
    "datasets/test_settings_page.py",
    "notifications/admin/test_api_keys.py",
    "notifications/admin/test_bulk_send_page.py",
    "notifications/admin/test_bulk_vectors.py",  # over HTTP, the same tables are checked on both
    "notifications/admin/test_callbacks.py",
    "notifications/admin/test_guest_list.py",
    "notifications/admin/test_new_services.py",
    "notifications/admin/test_message_page.py",
    "notifications/admin/test_protected_names.py",
    "notifications/admin/test_redacted_template.py",
    "notifications/admin/test_permissions.py",
    "notifications/admin/test_send_dry_run.py",
    "notifications/admin/test_send_page.py",
    "notifications/admin/test_senders.py",
    "notifications/admin/test_sending_settings.py",
    "notifications/admin/test_services.py",
    "notifications/admin/test_team.py",
    "notifications/admin/test_team_invites.py",
    "notifications/admin/test_template_comparison.py",
    "notifications/admin/test_template_copy.py",
    "notifications/admin/test_template_defaults.py",
    "notifications/admin/test_template_drafts.py",
    "notifications/admin/test_template_editor.py",
    "notifications/admin/test_templates.py",
    "notifications/admin/test_titles.py",
    "notifications/download/test_damage.py",
    "notifications/download/test_forms.py",
    "notifications/download/test_headers.py",
    "notifications/download/test_injection.py",
    "notifications/download/test_own_host.py",
    "notifications/download/test_pages.py",
    "notifications/download/test_proof.py",
    "notifications/sandbox/test_inbox_pages.py",
    "notifications/sandbox/test_one_click.py",
    "notifications/sandbox/test_roles_in_the_inbox.py",
)
_PROVIDERS = (  # the requests and answers of adapters; claims, retries and fairness run on both
    "faults/test_hostile_mail.py",
    "notifications/delivery/test_anymail.py",
    "notifications/delivery/test_gateway.py",
    "notifications/delivery/test_refusing_server.py",
    "notifications/delivery/test_smpp.py",
    "notifications/delivery/test_sns.py",
    "notifications/delivery/test_unsubscribe_headers.py",
    "notifications/receipts/test_sns_posts.py",
)
PLACES = tuple(
    f"tests/{place}"
    for place in (*_OWN_SERVERS, *_PROGRAMS_AND_DOCUMENTS, *_REQUESTS_BEFORE_ANY_ROW, *_PAGES, *_PROVIDERS)
)
