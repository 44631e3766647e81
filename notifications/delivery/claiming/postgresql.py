"""The statements of the queue for PostgreSQL. Source: docs/reference/security.md §9, promise 6, and §10."""

# Services with due messages get equal shares of the batch. The service that this process served longest ago is first.
# LIMIT ends the join early, so that only claimed rows are locked. Rows that another worker is about to claim are
# skipped, so that workers share a backlog and do not wait for each other.
# Each lane is a condition of its own, so that the index gives the due messages of a lane without those of later times.
# With an array of ids PostgreSQL expects few rows. With a sub-select it might read the whole table.
# The statement also reads the columns of other tables that sending needs: one round trip, no stale data.
CLAIM = """
    WITH chosen AS MATERIALIZED (
        SELECT due.id FROM (
            SELECT service.id, COUNT(*) OVER () AS services,
                ROW_NUMBER() OVER (
                    ORDER BY ARRAY_POSITION(%(served)s::uuid[], service.id) NULLS FIRST, RANDOM()
                ) AS place
            FROM notifications_service AS service
            WHERE EXISTS (
                SELECT 1 FROM (SELECT {single} AS lane UNION ALL SELECT {bulk}) AS lanes
                CROSS JOIN notifications_notification AS message
                WHERE message.service_id = service.id AND message.lane = lanes.lane
                    AND message.status = 'created' AND message.channel = %(channel)s
                    AND message.next_attempt_at <= STATEMENT_TIMESTAMP()
                    AND (message.claimed_until IS NULL OR message.claimed_until < STATEMENT_TIMESTAMP())
            )
            ORDER BY place
        ) AS service
        CROSS JOIN LATERAL (
            SELECT of_lane.id FROM (SELECT {single} AS lane UNION ALL SELECT {bulk}) AS lanes
            CROSS JOIN LATERAL (
                SELECT message.id FROM notifications_notification AS message
                WHERE message.service_id = service.id AND message.lane = lanes.lane
                    AND message.status = 'created' AND message.channel = %(channel)s
                    AND message.next_attempt_at <= STATEMENT_TIMESTAMP()
                    AND (message.claimed_until IS NULL OR message.claimed_until < STATEMENT_TIMESTAMP())
                ORDER BY message.next_attempt_at
                LIMIT %(size)s::int
                FOR UPDATE SKIP LOCKED
            ) AS of_lane
            LIMIT GREATEST(%(size)s::int - service.place, 0) / LEAST(service.services, %(size)s::int) + 1
        ) AS due
        LIMIT %(size)s::int
    )
    UPDATE notifications_notification SET
        claimed_until = STATEMENT_TIMESTAMP() + MAKE_INTERVAL(secs => %(seconds)s), attempt = attempt + 1
    WHERE id = ANY (ARRAY(SELECT id FROM chosen))
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

# A status that a callback reports is recorded by `Claim.end_as_sent`. So is a failure, because an email may replace the
# message; only a test message can have a failure here.
RECORD = """
    UPDATE notifications_notification AS message SET
        status = given.status, completed_at = given.completed_at, sent_at = given.sent_at, provider = given.provider,
        provider_reference = given.provider_reference, attempts = given.attempts,
        is_acceptance_final = given.is_acceptance_final, claimed_until = NULL, encrypted_outgoing = NULL
    FROM JSONB_TO_RECORDSET(%(rows)s::jsonb) AS given(
        message_id uuid, attempt integer, status text, event text, completed_at timestamptz, sent_at timestamptz,
        provider text, provider_reference text, attempts jsonb, is_acceptance_final boolean
    )
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
