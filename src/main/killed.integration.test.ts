import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../shared/agent-event.ts'
import { createBrigade, effectOf } from './testing/brigade.ts'
import { type RealTroupe, realTroupe } from './testing/real-troupe.ts'

const ROUNDS = 40
const AGENTS = 3
const brigade = createBrigade({
  agents: AGENTS,
  turns: 4,
  command: (name, turn) => `echo ${effectOf(name, turn)} >> effects.txt`,
})
const RUN = ['run', 'Go', '--json', '--permission-mode', 'bypassPermissions']

/** Where the process is killed: on the first of these events that comes after `skip` others of its type. */
const BOUNDARIES: readonly AgentEvent['type'][] = [
  'agent-spawned',
  'user-message',
  'request-started',
  'assistant-message',
  'tool-started',
  'tool-ended',
  'agent-ended',
]

describe('a process that is killed', () => {
  test(`${ROUNDS} times, at random moments and at each boundary: nothing is lost, nothing is done twice`, {
    timeout: 240_000,
  }, async () => {
    const next = { round: 0 }
    const tally = { acknowledged: 0, effects: 0, killed: 0 }
    // Two at a time: most of a round is a process starting.
    const lane = async () => {
      while (next.round < ROUNDS) await killOnce(next.round++, tally)
    }
    await Promise.all([lane(), lane()])
    expect(tally.killed).toBeGreaterThan(ROUNDS / 2)
    expect(tally.acknowledged).toBeGreaterThan(ROUNDS)
    expect(tally.effects).toBeGreaterThan(ROUNDS)
  })
})

async function killOnce(round: number, tally: { acknowledged: number; effects: number; killed: number }) {
  const troupe = await realTroupe(brigade)
  try {
    const running = troupe.start(RUN)
    const kill = () => running.child.kill('SIGKILL')
    const boundary = BOUNDARIES[(round >> 1) % BOUNDARIES.length]
    let skip = Math.floor(round / BOUNDARIES.length)
    running.onEvent((event) => {
      if (round % 2 === 0) {
        if (event.type === boundary && skip-- <= 0) kill()
      } else if (running.events.length === 1) setTimeout(kill, Math.random() * 300)
    })
    const { code } = await running.ended
    if (code === null) tally.killed++
    const conversationId = running.events.flatMap((event) =>
      event.type === 'agent-spawned' ? [event.conversationId] : [],
    )[0]
    const where = `round ${round}, ${round % 2 === 0 ? boundary : 'random'}`

    tally.acknowledged += await checkDisk(troupe, where)
    await checkEffects(troupe, where)
    // Killed before its first event was on the disk, a conversation never began.
    const begun = (await transcripts(troupe)).some(({ events }) => events.length > 0)
    if (conversationId === undefined || !begun) return

    const resumed = troupe.start([
      'run',
      'Go on',
      '--json',
      '--permission-mode',
      'bypassPermissions',
      '--resume',
      conversationId,
    ])
    const end = await resumed.ended
    expect({ code: end.code, errors: end.errors }, where).toMatchObject({ code: 0 })
    expect(
      end.result?.agents.every((agent) => ['completed', 'interrupted'].includes(agent.status)),
      where,
    ).toBe(true)
    await checkDisk(troupe, where)
    tally.effects += await checkEffects(troupe, where)
  } finally {
    await troupe.close()
  }
}

/** Everything the API was sent is in the transcripts, whose numbers have no gaps. How many things that were. */
async function checkDisk(troupe: RealTroupe, where: string): Promise<number> {
  const onDisk = new Set<string>()
  for (const { events, agentId } of await transcripts(troupe)) {
    expect(
      events.map((event) => event.seq),
      `${where}, ${agentId}`,
    ).toEqual([...events.keys()])
    for (const event of events) {
      if (event.type === 'tool-ended') onDisk.add(`result ${event.toolUseId}`)
      if (event.type === 'assistant-message')
        for (const block of event.content) if (block.type === 'tool_use') onDisk.add(`call ${block.id}`)
    }
  }
  const acknowledged = new Set<string>()
  for (const { text } of troupe.server.requests) {
    if (text === '') continue
    const { messages } = JSON.parse(text) as {
      messages: { content: string | { type: string; id?: string; tool_use_id?: string }[] }[]
    }
    for (const { content } of messages)
      for (const block of typeof content === 'string' ? [] : content) {
        if (block.type === 'tool_result') acknowledged.add(`result ${block.tool_use_id}`)
        if (block.type === 'tool_use') acknowledged.add(`call ${block.id}`)
      }
  }
  const lost = [...acknowledged].filter((thing) => !onDisk.has(thing))
  expect(lost, where).toEqual([])
  return acknowledged.size
}

/** Each effect once, and none without the intent that announces it. */
async function checkEffects(troupe: RealTroupe, where: string): Promise<number> {
  const effects = await troupe.linesOf('effects.txt')
  expect([...new Set(effects)].sort(), where).toEqual([...effects].sort())
  const intents = (await transcripts(troupe)).flatMap(({ events }) =>
    events.flatMap((event) =>
      event.type === 'tool-started' && event.name === 'Bash' ? [event.summary] : [],
    ),
  )
  for (const effect of effects) expect(intents, where).toContain(`echo ${effect} >> effects.txt`)
  return effects.length
}

/** Each transcript as it lies there; a torn last line is left out. */
async function transcripts(
  troupe: RealTroupe,
): Promise<readonly { agentId: string; events: readonly AgentEvent[] }[]> {
  const tasks = join(troupe.home, 'tasks')
  const ids = await readdir(tasks).catch(() => [])
  return Promise.all(
    ids.map(async (agentId) => {
      const text = await readFile(join(tasks, agentId, 'transcript.jsonl'), 'utf8').catch(() => '')
      const whole = text.slice(0, text.lastIndexOf('\n') + 1)
      const events = whole
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as AgentEvent)
      return { agentId, events }
    }),
  )
}
