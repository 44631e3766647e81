"""The queue of messages: claim due messages, end claims, and record acceptances.

claim                one claimed message, and the methods that end its claim
batches              claim and record several messages with one statement
postgresql, sqlite   the statements of each database
hashed_suppressions  suppressions whose recipient is erased
"""

from notifications.delivery.claiming.batches import claim_due, put_back, record_sent
from notifications.delivery.claiming.claim import LOST, Attempt, Claim, RecordedMessage, Sent
