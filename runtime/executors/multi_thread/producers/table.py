"""The four producers by name. A new one is a module and a row here."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from runtime.executors.multi_thread.plan import ThreadPlan
from runtime.executors.multi_thread.producers.by_chain import chain_producer
from runtime.executors.multi_thread.producers.by_kernel import KernelTaskProducer
from runtime.executors.multi_thread.producers.by_operator import operator_producer
from runtime.executors.multi_thread.producers.producer import TaskProducer
from runtime.executors.multi_thread.producers.single import SingleTaskProducer
from runtime.executors.options import TaskProducerType

PRODUCERS: Mapping[TaskProducerType, Callable[[ThreadPlan, int], TaskProducer]] = MappingProxyType(
    {
        TaskProducerType.SINGLE: SingleTaskProducer,
        TaskProducerType.CHAIN: chain_producer,
        TaskProducerType.OP: operator_producer,
        TaskProducerType.KERNEL: KernelTaskProducer,
    }
)
