/** Resources of processes, from /proc (Linux only). */
import { readdir, readFile } from 'node:fs/promises'

export interface ProcessFacts {
  /** Proportional set size of the process alone, MB. Shared pages count more as other processes end. */
  readonly memory: number
  /** The anonymous part, MB. */
  readonly own: number
  /** Open files, sockets, pipes and watches. */
  readonly handles: number
  /** Number of descendant processes. */
  readonly children: number
}

export async function processFacts(pid: number): Promise<ProcessFacts> {
  const [memory, own, handles, below] = await Promise.all([
    proportionalSize(pid),
    ownSize(pid),
    readdir(`/proc/${pid}/fd`),
    processesBelow(pid),
  ])
  return { memory, own, handles: handles.length, children: below.length }
}

/** MB; 0 for an ended process. */
export function proportionalSize(pid: number): Promise<number> {
  return sizeIn(pid, /^Pss:\s+(\d+)/m)
}

/** The same without file pages, which other processes may share. */
export function ownSize(pid: number): Promise<number> {
  return sizeIn(pid, /^Pss_Anon:\s+(\d+)/m)
}

/** Follows the largest resident size so far, MB, of the only child of a process. */
export function followPeak(parent: number): { readonly peak: () => number; readonly end: () => void } {
  let peak = 0
  const look = async () => {
    const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '')
    const status = await readFile(`/proc/${Number(children)}/status`, 'utf8').catch(() => '')
    peak = Math.max(peak, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024)
  }
  const timer = setInterval(() => void look(), 20)
  return { peak: () => peak, end: () => clearInterval(timer) }
}

async function sizeIn(pid: number, line: RegExp): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  return Number(line.exec(rollup)?.[1] ?? 0) / 1024
}

/** All descendant processes. */
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
