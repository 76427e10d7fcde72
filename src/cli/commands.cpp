// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"

#include <array>

namespace gpuadapt::cli {
namespace {

constexpr std::array kCommands = {
    Command{
        "probe",
        {"what this machine is: inventory and topology", "本机硬件与系统信息"},
        {"Reads firmware tables, CPU, NUMA, memory, system, PCI devices with their links, network and RDMA devices "
         "from files of the kernel, and GPUs from their management library (NVML, MXSML) or tool. Needs no privilege "
         "and no other tool; as root it sees more. What exists but could not be read is listed and counts as unknown. "
         "--from takes a recording, or what somebody sent instead: a packed /sys, output of lspci, dmidecode, lscpu, "
         "nvidia-smi, mx-smi, ibstat.",
         "从内核文件读取固件信息、CPU、NUMA、内存、操作系统、PCI设备及其链路、网络与RDMA设备；GPU信息来自其管理库"
         "（NVML、MXSML）或工具。无需特权和其他工具；以 root 运行可读到更多。存在但读不到的内容会列出，并按未知处理。"
         "--from 可读取录制文件，或他人发来的内容：打包的 /sys，lspci、dmidecode、lscpu、nvidia-smi、mx-smi、ibstat "
         "的输出。"},
        "gpuadapt probe\n"
        "gpuadapt probe --json > machine.json\n"
        "gpuadapt probe --topology --svg topology.svg\n"
        "gpuadapt probe --from lspci.txt --from dmidecode.txt",
        define_probe},
    Command{"record",
            {"save what this machine is, to look at it elsewhere", "保存本机信息，供他处查看"},
            {"Keeps every file and every answer of a tool that a command of this program reads, with what could not be "
             "read and why, in one tar.gz. probe and report take it with --from, on any machine, and find the same. "
             "Send it with a trouble report; --anonymize first replaces what identifies the machine.",
             "把本程序各命令读取的全部文件与工具输出，连同读不到的内容及原因，存入一个 tar.gz。probe 与 report "
             "可在任何机器上用 "
             "--from 读取，结果相同。可随问题报告发送；--anonymize 先替换可识别本机的内容。"},
            "gpuadapt record --out machine.tar.gz --anonymize\n"
            "gpuadapt probe --from machine.tar.gz",
            define_record},
    Command{"perf",
            {"the nine collectives over GPU counts", "按卡数测试九种集合通信"},
            {"Starts mpirun once for all collectives and counts, and measures as nccl-tests does: time, algbw, busbw, "
             "out of place and in place, data verified at every size. The log on stdout is in nccl-tests' format. "
             "Also works when started by mpirun or srun --mpi=pmix. Without a GPU it measures host memory and says so.",
             "只启动一次 mpirun，测试全部算子和卡数，方法与 nccl-tests 一致：时间、algbw、busbw、非原位与原位，"
             "每个大小都校验数据。标准输出为 nccl-tests 格式的日志。也可由 mpirun 或 srun --mpi=pmix 启动。没有 GPU "
             "时测试主机内存并说明。"},
            "gpuadapt perf --gpus 2,4 -b 1K -e 64M -f 2 -n 20 -d bfloat16 --out run.json\n"
            "mpirun -n 4 gpuadapt perf --ops all_reduce -b 8 -e 4M > all_reduce.log",
            define_perf},
    Command{"report",
            {"the five-sheet workbook from records or logs", "由记录或日志生成五页表格"},
            {"Writes the guide's workbook (XLSX): environment, test data, DP, P2P and topology. Takes a record of this "
             "program, or logs of nccl-tests, rccl-tests and mccl_tests.",
             "生成指南要求的五页表格（XLSX）：环境信息、测试数据、DP数据、P2P数据、TOPO信息。输入为本程序的记录，"
             "或 nccl-tests、rccl-tests、mccl_tests 的日志。"},
            "gpuadapt report --record run.json --out-file report.xlsx\n"
            "gpuadapt report --log-file test.txt --form form.json",
            define_report},
};

}  // namespace

std::span<const Command> commands() {
    return kCommands;
}

}  // namespace gpuadapt::cli
