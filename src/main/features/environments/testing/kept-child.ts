/** Keeps or brings folders in another process: `node kept-child.ts <order as JSON>`. */
import { createKeptFolders } from '../kept-folders.ts'

export interface KeptOrder {
  readonly do: 'keep' | 'bring'
  readonly dataFolder: string
  readonly worktree: string
  /** With the folder of its `cp`. */
  readonly path: string
}

const order = JSON.parse(process.argv[2] ?? '') as KeptOrder
const kept = createKeptFolders({
  dataFolder: order.dataFolder,
  environment: { PATH: order.path },
  newKey: () => `of-child-${process.pid}`,
  now: Date.now,
})
const { signal } = new AbortController()
const done =
  order.do === 'keep'
    ? await kept.keep('key', { worktree: order.worktree, paths: ['node_modules'] }, signal)
    : await kept.bring(['before'], order.worktree, signal)
console.log(JSON.stringify(done))
