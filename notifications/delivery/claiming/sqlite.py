"""The statements of the queue for SQLite. Source: docs/reference/security.md §9, promise 6, and §10.

SQLite's NOW has whole milliseconds, so nothing is rounded up. A stored moment would be: its date functions drop
microseconds.
"""

NOW = "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW')"
LATER = "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW', %(seconds)s || ' seconds')"  # the end of a claim

# A SELECT takes no lock, but an UPDATE of no rows does. So this runs before CLAIM.
ANY_DUE = """
    SELECT EXISTS (
        SELECT 1 FROM notifications_service AS service
        WHERE EXISTS (
            SELECT 1 FROM (SELECT {single} AS lane UNION ALL SELECT {bulk}) AS lanes
            CROSS JOIN notifications_notification AS message
            WHERE message.service_id = service.id AND message.lane = lanes.lane
                AND message.status = 'created' AND message.channel = %(channel)s
                AND message.next_attempt_at <= {now}
                AND (message.claimed_until IS NULL OR message.claimed_until < {now})
        )
    )
"""

# Services with due messages get equal shares of the batch. The service that this process served longest ago is first.
# SQLite has one writer, so no rows need to be locked or skipped. CROSS JOIN keeps the order of the join.
# The statement also reads the columns of other tables that sending needs.
CLAIM = """
    WITH chosen AS MATERIALIZED (
        SELECT chosen.id FROM (
            SELECT service.id, (SELECT key FROM JSON_EACH(%(served)s) WHERE value = service.id) AS served
            FROM notifications_service AS service
            WHERE EXISTS (
                SELECT 1 FROM (SELECT {single} AS lane UNION ALL SELECT {bulk}) AS lanes
                CROSS JOIN notifications_notification AS message
                WHERE message.service_id = service.id AND message.lane = lanes.lane
                    AND message.status = 'created' AND message.channel = %(channel)s
                    AND message.next_attempt_at <= {now}
                    AND (message.claimed_until IS NULL OR message.claimed_until < {now})
            )
        ) AS service
        CROSS JOIN (SELECT {single} AS lane UNION ALL SELECT {bulk}) AS lanes
        CROSS JOIN notifications_notification AS chosen ON chosen.id IN (
            SELECT message.id FROM notifications_notification AS message
            WHERE message.service_id = service.id AND message.lane = lanes.lane
                AND message.status = 'created' AND message.channel = %(channel)s
                AND message.next_attempt_at <= {now}
                AND (message.claimed_until IS NULL OR message.claimed_until < {now})
            ORDER BY message.next_attempt_at
            LIMIT %(size)s
        )
        ORDER BY
            ROW_NUMBER() OVER (PARTITION BY service.id ORDER BY lanes.lane, chosen.next_attempt_at),
            service.served, RANDOM()
        LIMIT %(size)s
    )
    UPDATE notifications_notification SET
        claimed_until = {later}, attempt = attempt + 1
    WHERE id IN (SELECT id FROM chosen)
    RETURNING {columns},
        COALESCE(
            (SELECT bulk.service_name FROM notifications_bulkrow AS bulk_row
             JOIN notifications_bulksend AS bulk ON bulk.id = bulk_row.bulk_send_id WHERE bulk_row.id = bulk_row_id),
            (SELECT name FROM notifications_service WHERE id = service_id)
        ) AS service_name,
        (SELECT active FROM notifications_service WHERE id = service_id) AS service_is_active,
        {suppressed_by} AS suppressed_by,
        EXISTS (SELECT 1 FROM notifications_recipienthashkey) AS knows_hashes,
        (SELECT sender FROM notifications_smssender WHERE id = sms_sender_id) AS sender,
        (SELECT email_address FROM notifications_replytoaddress WHERE id = reply_to_id) AS reply_to_address
"""

# As on PostgreSQL.
RECORD = """
    UPDATE notifications_notification AS message SET
        status = given.status, completed_at = given.completed_at, sent_at = given.sent_at, provider = given.provider,
        provider_reference = given.provider_reference, attempts = given.attempts,
        is_acceptance_final = given.is_acceptance_final, claimed_until = NULL, encrypted_outgoing = NULL
    FROM (
        SELECT
            JSON_EXTRACT(value, '$.message_id') AS message_id,
            JSON_EXTRACT(value, '$.attempt') AS attempt,
            JSON_EXTRACT(value, '$.status') AS status,
            JSON_EXTRACT(value, '$.event') AS event,
            JSON_EXTRACT(value, '$.completed_at') AS completed_at,
            JSON_EXTRACT(value, '$.sent_at') AS sent_at,
            JSON_EXTRACT(value, '$.provider') AS provider,
            JSON_EXTRACT(value, '$.provider_reference') AS provider_reference,
            JSON_EXTRACT(value, '$.attempts') AS attempts,
            JSON_EXTRACT(value, '$.is_acceptance_final') AS is_acceptance_final
        FROM JSON_EACH(%(rows)s)
    ) AS given
    WHERE message.id = given.message_id AND message.attempt = given.attempt AND message.status = 'created'
        AND given.status NOT IN ({failures})
        AND NOT EXISTS (
            SELECT 1 FROM notifications_callbackendpoint AS endpoint
            WHERE endpoint.service_id = message.service_id AND {wants_event}
        )
        AND NOT (given.event = 'message.delivered' AND EXISTS (
            SELECT 1 FROM notifications_requestcallback AS callback WHERE callback.notification_id = message.id
        ))
    RETURNING id
"""
