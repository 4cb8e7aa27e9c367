// seccomp: https://docs.kernel.org/userspace-api/seccomp_filter.html. Numbers: the kernel's asm/unistd.h, linux/audit.h and linux/socket.h

/** What the filter allows. */
export interface SocketFilterOptions {
  /** Whether the server may create Unix sockets. */
  readonly unix: boolean;
  readonly network: boolean;
}

/**
 * A seccomp program that blocks what mounts and namespaces do not: sockets of other programs (created after the
 * server's start or, with network, abstract), the hypervisor's sockets, and the kernel's keyrings. Seccomp cannot read
 * a path behind a pointer, so all Unix sockets are blocked; stream pairs, by which programs talk to their children,
 * stay allowed. Undefined for an unknown CPU architecture.
 */
export function socketFilter(arch: string, { unix, network }: SocketFilterOptions): Buffer | undefined {
  const machine = MACHINES.get(arch);
  if (!machine) return undefined;
  const families = [...(unix ? [] : [AF_UNIX]), ...(network ? [] : [AF_VSOCK])];
  const program: Line[] = [
    load(ARCH),
    // Programs of another word size use other system call numbers.
    unless(machine.audit, fail(ENOSYS)),
    load(NUMBER),
    ...(machine.foreignFrom === undefined ? [] : [whenAtLeast(machine.foreignFrom, fail(ENOSYS))]),
    // io_uring creates sockets without a system call for each. Programs work without it.
    when(machine.ioUringSetup, fail(ENOSYS)),
    ...machine.keyrings.map((number) => when(number, fail(EPERM))),
    ifEqual(machine.socket, [
      load(FIRST_ARGUMENT),
      ...families.map((family) => when(family, fail(EAFNOSUPPORT))),
      ALLOW,
    ]),
    ...(unix
      ? []
      : [
          // A datagram socket of a pair can be connected to any other socket.
          ifEqual(machine.socketpair, [
            load(SECOND_ARGUMENT),
            TYPE_ONLY,
            ...[SOCK_DGRAM, SOCK_RAW].map((type) => when(type, fail(EAFNOSUPPORT))),
            ALLOW,
          ]),
        ]),
    ALLOW,
  ];
  return Buffer.concat(program.flat());
}

type Line = Buffer | readonly Buffer[];

function instruction(code: number, k: number, jumps: { readonly yes?: number; readonly no?: number } = {}): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(jumps.yes ?? 0, 2);
  bytes.writeUInt8(jumps.no ?? 0, 3);
  bytes.writeUInt32LE(k, 4);
  return bytes;
}

const load = (offset: number): Buffer => instruction(0x20, offset);
const returnValue = (value: number): Buffer => instruction(0x06, value);
const ALLOW = returnValue(0x7fff0000);
const TYPE_ONLY = instruction(0x54, 0x0f); // without the flags of the socket type
const fail = (errno: number): Buffer => returnValue(0x00050000 + errno);
const JUMP_IF_EQUAL = 0x15;
const when = (value: number, then: Buffer): readonly Buffer[] => [instruction(JUMP_IF_EQUAL, value, { no: 1 }), then];
const unless = (value: number, then: Buffer): readonly Buffer[] => [
  instruction(JUMP_IF_EQUAL, value, { yes: 1 }),
  then,
];
const whenAtLeast = (value: number, then: Buffer): readonly Buffer[] => [instruction(0x35, value, { no: 1 }), then];
/** Runs these lines only if the loaded value equals `value`; skips them otherwise. */
function ifEqual(value: number, lines: readonly Line[]): readonly Buffer[] {
  const inner = lines.flat();
  return [instruction(JUMP_IF_EQUAL, value, { no: inner.length }), ...inner];
}

const NUMBER = 0;
const ARCH = 4;
const FIRST_ARGUMENT = 16;
const SECOND_ARGUMENT = 24;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;
const AF_UNIX = 1;
const AF_VSOCK = 40;
const SOCK_DGRAM = 2;
const SOCK_RAW = 3; // same as SOCK_DGRAM for Unix sockets

interface Machine {
  readonly audit: number;
  /** The first number of another system call ABI (x32). */
  readonly foreignFrom?: number;
  readonly socket: number;
  readonly socketpair: number;
  readonly ioUringSetup: number;
  readonly keyrings: readonly number[];
}

/** By Node's names of architectures. Both are little-endian. */
const MACHINES: ReadonlyMap<string, Machine> = new Map([
  [
    'x64',
    {
      audit: 0xc000003e,
      foreignFrom: 0x40000000,
      socket: 41,
      socketpair: 53,
      ioUringSetup: 425,
      keyrings: [248, 249, 250],
    },
  ],
  ['arm64', { audit: 0xc00000b7, socket: 198, socketpair: 199, ioUringSetup: 425, keyrings: [217, 218, 219] }],
]);
