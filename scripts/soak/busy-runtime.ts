/**
 * The measured process: the real runtime, conversation after conversation, until the message `rest`.
 * `fork`ed with BASE_URL KEY HOME FOLDER; it answers `sample`, `rest` and `close`.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { composeRuntime } from '../../src/main/features.ts'
import { settings as settingsSchema } from '../../src/shared/settings/settings.ts'

export interface Sample {
  /** After a forced collection, MB. */
  readonly heap: number
  /** p99 since the last sample, ms. */
  readonly delay: number
  /** CPU time of the process without children since the start, ms. */
  readonly cpu: number
  /** Counts since the start. */
  readonly turns: number
  readonly agentsEnded: number
  readonly conversations: number
  readonly stopped: number
  readonly queued: number
  /** Minimum and average number of agents at work since the last sample. */
  readonly leastAtWork: number
  readonly meanAtWork: number
}

/** Concurrent conversations, and concurrent agents in each. */
const LANES = 4
const AT_ONCE = 4
/** Tasks of a conversation before it is deleted. */
const TASKS = 3

const root = join(import.meta.dirname, '..', '..')
const [baseUrl = '', key = '', home = '', folder = ''] = process.argv.slice(2)
const trust = { trustedFolders: [folder], bypassFolders: [folder] }
const current = settingsSchema.parse({ ...trust, maxParallelAgents: AT_ONCE, maxAgents: 1000 })
const program = await composeRuntime({
  dataFolder: home,
  home: homedir(),
  environment: process.env,
  settings: { current },
  agentsFolder: join(root, 'agents'),
  docsFolder: join(root, 'docs'),
  rehearsal: { pace: 0, scenarioFile: null },
})
await mkdir(join(folder, '.claude', 'agents'), { recursive: true })
await writeFile(
  join(folder, '.claude', 'agents', 'forker.md'),
  '---\nname: forker\ndescription: Continues from here.\nforkContext: true\n---\nGo on.\n',
)
await program.switchAccess({ kind: 'api', key, baseUrl })
const { runtime } = program

const delays = monitorEventLoopDelay({ resolution: 10 })
delays.enable()
const counts = { turns: 0, agentsEnded: 0, conversations: 0, stopped: 0, queued: 0 }
const atWork = new Map<string, string>()
let work = { least: Number.POSITIVE_INFINITY, weighted: 0, since: performance.now(), from: performance.now() }
let resting = false

runtime.subscribe((delta) => {
  if (delta.type !== 'event') return
  const { event, conversationId } = delta
  if (event.type === 'assistant-message') counts.turns++
  if (event.type === 'agent-ended') counts.agentsEnded++
  if (event.type !== 'status-changed' && event.type !== 'agent-ended') return
  weigh()
  if (event.type === 'status-changed' && event.status === 'running') atWork.set(event.agentId, conversationId)
  else atWork.delete(event.agentId)
  work.least = Math.min(work.least, atWork.size)
})

const lanes = Promise.all(Array.from({ length: LANES }, (_, lane) => busy(lane)))

process.on('message', (order: 'sample' | 'rest' | 'close') => {
  if (order === 'sample') process.send?.(sample())
  if (order === 'rest') {
    resting = true
    void lanes.then(() => process.send?.(sample()))
  }
  if (order === 'close') void program.close().then(() => process.disconnect())
})

async function busy(lane: number): Promise<void> {
  for (let round = lane; !resting; round++) {
    const created = await runtime.dispatch({
      type: 'conversation.create',
      folder,
      model: 'sonnet',
      permissionMode: 'bypassPermissions',
    })
    if (!created.ok) throw new Error(created.failure.message)
    const { id } = created.value
    // Lanes have different lengths, so that they do not all restart together.
    for (let task = 0; task < TASKS + (round % 3) && !resting; task++) {
      await say(id, null, `Task ${task} of round ${round}`)
      const settled = runtime.settled(id)
      await disturb(id, round + task)
      await settled
    }
    await runtime.dispatch({ type: 'conversation.trash', conversationId: id })
    counts.conversations++
  }
}

/** User actions meanwhile: a message to the main agent, one to a working agent, and one stop. */
async function disturb(conversationId: string, round: number): Promise<void> {
  const agents = await atWorkIn(conversationId)
  const [first, second] = agents
  if (first !== undefined && round % 2 === 0) await say(conversationId, first, 'Be quick, please.')
  if (round % 3 === 0) await say(conversationId, null, 'And one more thing.')
  if (second === undefined || round % 3 === 0) return
  await runtime.dispatch({ type: 'agent.stop', conversationId, agentId: second })
  counts.stopped++
}

/** Resolves with the subagents when two are at work, or when the conversation is idle. */
async function atWorkIn(conversationId: string): Promise<readonly string[]> {
  for (let attempt = 0; ; attempt++) {
    const agents = [...atWork].filter(
      ([agentId, other]) =>
        other === conversationId && runtime.state(conversationId, agentId)?.parentId != null,
    )
    if (agents.length > 1 || attempt > 100) return agents.map(([agentId]) => agentId)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

async function say(conversationId: string, agentId: string | null, text: string): Promise<void> {
  const sent = await runtime.dispatch({ type: 'conversation.send', conversationId, agentId, content: text })
  // An agent may have ended meanwhile; the main agent always accepts messages.
  if (!sent.ok && agentId === null) throw new Error(sent.failure.message)
  if (sent.ok && sent.value.queued) counts.queued++
}

function sample(): Sample {
  const { user, system } = process.cpuUsage()
  const delay = delays.percentile(99) / 1e6
  weigh()
  const { least, weighted, from } = work
  globalThis.gc?.()
  const now = performance.now()
  work = { least: atWork.size, weighted: 0, since: now, from: now }
  delays.reset()
  return {
    ...counts,
    heap: process.memoryUsage().heapUsed / 2 ** 20,
    delay,
    cpu: (user + system) / 1000,
    leastAtWork: Math.min(least, atWork.size),
    meanAtWork: weighted / Math.max(1, now - from),
  }
}

/** Adds the elapsed time at the current number of working agents. */
function weigh(): void {
  const now = performance.now()
  work.weighted += (now - work.since) * atWork.size
  work.since = now
}
