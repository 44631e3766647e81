"""The answers to a write. The answers to a read are written from rows as text, see `datasets.queries.written`."""

from rest_framework import serializers


class StoredSerializer(serializers.Serializer[object]):
    status = serializers.ChoiceField(choices=["ok"])


class RecordDeletedSerializer(StoredSerializer):
    """The answer to the deletion of one record."""


class RecordsDeletedSerializer(serializers.Serializer[object]):
    status = serializers.ChoiceField(choices=["ok"])
    removed = serializers.IntegerField(min_value=0, help_text="The deleted records.")


class SchemaGivenSerializer(serializers.Serializer[object]):
    status = serializers.ChoiceField(choices=["ok"])
    mode = serializers.ChoiceField(choices=["off", "warn", "enforce"], help_text="The mode from now on.")


class UndoneSerializer(serializers.Serializer[object]):
    restored = serializers.IntegerField(help_text="The number of records that came back.")
    message = serializers.CharField(help_text="`pay_weekly_volumes contains 98 records again`")
    status = serializers.ChoiceField(choices=["ok"])


class EmptiedSerializer(serializers.Serializer[object]):
    message = serializers.CharField(help_text="`pay_weekly_volumes now contains 0 records`")
    status = serializers.ChoiceField(choices=["ok"])
