/** What processes hold, from /proc: only Linux tells it. */
import { readdir, readFile } from 'node:fs/promises'

export interface ProcessFacts {
  /** Proportional set size of the process alone, MB. */
  readonly memory: number
  /** Open files, sockets, pipes and watches. */
  readonly handles: number
  /** Processes below it, theirs included. */
  readonly children: number
}

export async function processFacts(pid: number): Promise<ProcessFacts> {
  const [memory, handles, below] = await Promise.all([
    proportionalSize(pid),
    readdir(`/proc/${pid}/fd`),
    processesBelow(pid),
  ])
  return { memory, handles: handles.length, children: below.length }
}

/** MB; 0 for a process that is gone. */
export async function proportionalSize(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024
}

/** All processes that this one started, and those that they did. */
export async function processesBelow(pid: number): Promise<readonly number[]> {
  const parents = new Map<number, number>()
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  const isBelow = (one: number): boolean => {
    const parent = parents.get(one)
    return parent === pid || (parent !== undefined && parent > 1 && isBelow(parent))
  }
  return [...parents.keys()].filter(isBelow)
}
