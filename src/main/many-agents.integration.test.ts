import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { isQuick } from '../shared/testing/tries.ts'
import type { Director } from './features/rehearsal/director.ts'
import { createBrigade, effectOf } from './testing/brigade.ts'
import { processesWith, type RealTroupe, realTroupe } from './testing/real-troupe.ts'

let troupe: RealTroupe | null = null
afterEach(async () => {
  await troupe?.close()
  troupe = null
})

const RUN = ['run', 'Go', '--json', '--permission-mode', 'bypassPermissions']
const appending = (agents: number, turns: number) =>
  createBrigade({ agents, turns, command: (name, turn) => `echo ${effectOf(name, turn)} >> effects.txt` })

describe('many agents in one process', () => {
  const agents = isQuick ? 30 : 100
  test(`${agents} agents of 10 turns, 10 at a time, all report, and none works twice`, async () => {
    troupe = await realTroupe(appending(agents, 10), { maxAgents: 200 })
    const running = troupe.start(RUN)
    const { code, result, errors } = await running.ended
    expect({ code, errors }).toMatchObject({ code: 0 })
    expect(
      result?.agents.filter((agent) => agent.parentId !== null && agent.status === 'completed'),
    ).toHaveLength(agents)
    expect(result?.agents.every((agent) => agent.parentId === null || agent.turns === 10)).toBe(true)
    const effects = await troupe.linesOf('effects.txt')
    expect(new Set(effects).size).toBe(agents * 9)
    expect(effects).toHaveLength(agents * 9)

    let most = 0
    const working = new Set<string>()
    for (const event of running.events) {
      if (event.type === 'status-changed' && event.status === 'running') working.add(event.agentId)
      else if (event.type === 'status-changed' || event.type === 'agent-ended') working.delete(event.agentId)
      most = Math.max(most, working.size)
    }
    expect(most).toBe(10)
  })

  test('nested agents that wait for each other end with one slot', async () => {
    const deeper: Director = {
      reply: async (request) => {
        const results = request.messages.some((message) =>
          message.content.some((block) => block.type === 'tool_result'),
        )
        const mayStart = request.tools.some((tool) => tool.name === 'Agent')
        if (results || !mayStart)
          return { blocks: [{ type: 'text', text: `bottom ${mayStart ? 'up' : 'reached'}` }] }
        const call = { description: 'deeper', prompt: 'Go deeper.', subagent_type: 'digger' }
        return { blocks: [call, call].map((input) => ({ type: 'tool_use' as const, name: 'Agent', input })) }
      },
    }
    troupe = await realTroupe(deeper, { maxParallelAgents: 1 })
    await mkdir(join(troupe.folder, '.claude', 'agents'), { recursive: true })
    await writeFile(
      join(troupe.folder, '.claude', 'agents', 'digger.md'),
      '---\nname: digger\ndescription: Digs.\ntools: Read, Agent(digger)\n---\nYou dig.\n',
    )
    const { code, result, errors } = await troupe.start(RUN).ended
    expect({ code, errors }).toMatchObject({ code: 0 })
    // Each agent starts two: 2 + 4 + 8.
    expect(result?.agents).toHaveLength(1 + 14)
    expect(result?.agents.every((agent) => agent.status === 'completed')).toBe(true)
  })

  test('two processes share a data folder; a conversation has one writer', async () => {
    const hanging: Director = {
      reply: async (request) => {
        const hangs = JSON.stringify(request.messages).includes('Hang')
        const said = request.messages.length > 1
        return hangs && !said
          ? { blocks: [{ type: 'tool_use', name: 'Bash', input: { command: 'sleep 61.7' } }] }
          : { blocks: [{ type: 'text', text: 'Done.' }] }
      },
    }
    const here = await realTroupe(hanging)
    troupe = here
    const first = here.start(['run', 'Hang', '--json', '--permission-mode', 'bypassPermissions'])
    const conversationId = await new Promise<string>((resolve) => {
      first.onEvent((event) => {
        if (event.type === 'agent-spawned') resolve(event.conversationId)
      })
    })
    await new Promise<void>((resolve) => {
      const look = () => first.events.some((event) => event.type === 'tool-started') && resolve()
      first.onEvent(look)
      look()
    })
    const [second, locked] = await Promise.all([
      here.start(RUN).ended,
      here.start(['run', 'Me too', '--json', '--resume', conversationId]).ended,
    ])
    expect(second.code).toBe(0)
    expect(locked.code).not.toBe(0)
    expect(locked.errors).toContain(String(first.child.pid))

    // The first process continues unaffected, and Ctrl+C also ends its command.
    expect(processesWith('sleep 61.7')).not.toEqual([])
    first.child.kill('SIGINT')
    expect((await first.ended).code).toBe(130)
    expect(processesWith('sleep 61.7')).toEqual([])
    const after = await here.start(['run', 'And now?', '--json', '--resume', conversationId]).ended
    expect(after.code).toBe(0)
  })
})
