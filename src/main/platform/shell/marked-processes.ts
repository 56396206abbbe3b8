/**
 * Finds the processes of a command in the background by a variable of their environment. Processes that left the
 * command's process group (`setsid`) still have it. Their children are found without it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { machineElapsed } from '../system/machine-time.ts'

/** The variable. Its value: `<program>/<command>`. */
export const COMMAND_MARK = 'TROUPE_COMMAND'

/** ms between two looks at the processes. */
const ROUND = 50

/** ms to wait after SIGKILL. A process that remains hangs in the kernel. */
const AFTER_KILL = 1000

interface FoundProcess {
  readonly pid: number
  readonly parent: number
  /** The pid and the start time: the system reuses pids. */
  readonly key: string
  /** The value of the variable; null: it has none. */
  readonly mark: string | null
}

/**
 * Terminates the processes whose mark fits, and their children: SIGTERM, and SIGKILL after the grace time (ms).
 * `listed` is called when the first processes are known, so that their parents may end.
 */
export async function endMarked(
  fits: (mark: string) => boolean,
  graceMs: number,
  listed: () => void = () => {},
): Promise<void> {
  const started = machineElapsed()
  const known = new Set<string>()
  for (;;) {
    const found = withChildren(await listProcesses(), fits, known)
    const passed = machineElapsed() - started
    for (const { pid, key } of found) {
      if (passed >= graceMs) signal(pid, 'SIGKILL')
      else if (!known.has(key)) {
        signal(pid, 'SIGTERM')
        // A process that is stopped receives the signal only now.
        signal(pid, 'SIGCONT')
      }
      known.add(key)
    }
    listed()
    if (found.length === 0 || passed > graceMs + AFTER_KILL) return
    await delay(passed < graceMs ? Math.min(ROUND, graceMs - passed) : ROUND)
  }
}

/** Kills them without waiting, for the exit of the program. */
export function killMarkedNow(fits: (mark: string) => boolean): void {
  for (const { pid } of withChildren(listProcessesNow(), fits)) signal(pid, 'SIGKILL')
}

/** The processes that fit or are known, and their children. */
function withChildren(
  all: readonly FoundProcess[],
  fits: (mark: string) => boolean,
  known: ReadonlySet<string> = new Set(),
): readonly FoundProcess[] {
  const found = new Set(
    all.flatMap(({ pid, key, mark }) => ((mark !== null && fits(mark)) || known.has(key) ? [pid] : [])),
  )
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid)
  }
  found.delete(process.pid)
  return all.filter(({ pid }) => found.has(pid))
}

async function listProcesses(): Promise<readonly FoundProcess[]> {
  const names = process.platform === 'linux' ? await readdir('/proc').catch(() => []) : []
  const read = (path: string) => readFile(path, 'latin1').catch(() => '')
  const found = await Promise.all(
    names.filter(isPid).map(async (pid) => {
      const [stat, environment] = await Promise.all([read(`/proc/${pid}/stat`), read(`/proc/${pid}/environ`)])
      return processOf(pid, stat, environment)
    }),
  )
  return found.flat()
}

function listProcessesNow(): readonly FoundProcess[] {
  if (process.platform !== 'linux') return []
  const read = (path: string) => {
    try {
      return readFileSync(path, 'latin1')
    } catch {
      return ''
    }
  }
  return readdirSync('/proc')
    .filter(isPid)
    .flatMap((pid) => processOf(pid, read(`/proc/${pid}/stat`), read(`/proc/${pid}/environ`)))
}

/** Empty: it has ended, is a zombie, or belongs to another user. */
function processOf(pid: string, stat: string, environment: string): readonly FoundProcess[] {
  // The fields after the name in parentheses: state, parent, and the 20th is the start time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, parent] = fields
  if (stat === '' || state === 'Z' || state === 'X') return []
  const entry = environment.split('\0').find((variable) => variable.startsWith(`${COMMAND_MARK}=`))
  return [
    {
      pid: Number(pid),
      parent: Number(parent),
      key: `${pid}-${fields[19]}`,
      mark: entry === undefined ? null : entry.slice(COMMAND_MARK.length + 1),
    },
  ]
}

const isPid = (name: string): boolean => /^\d+$/.test(name)

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile.
  }
}
