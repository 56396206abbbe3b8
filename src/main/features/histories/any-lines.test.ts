import { rm } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agentEvent } from '../../../shared/events/agent-event.ts'
import { triesOf } from '../../../shared/testing/tries.ts'
import { claudeSession, textOfLines, timeAt } from './testing/claude-lines.ts'
import { historyHome } from './testing/history-home.ts'

/** Any value of JSON, mostly where a program writes something else. */
const junk = fc.jsonValue({ maxDepth: 2 })
const id = fc.constantFrom('t1', 't2', 't3', '../x', '')
const word = fc.constantFrom(
  'Go',
  '<task-notification>',
  '<command-name>/x</command-name>',
  '',
  '\u0000',
  '💥',
)
const block = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'thinking', 'hologram'), text: word, thinking: word }),
  fc.record({ type: fc.constant('tool_use'), id, name: fc.constantFrom('Task', 'Bash', 'a b'), input: junk }),
  fc.record({ type: fc.constant('tool_result'), tool_use_id: id, content: fc.oneof(word, junk) }),
  junk,
)
const s = claudeSession('s-1')
const line = fc.oneof(
  { weight: 4, arbitrary: word.map((text) => s.user(text)) },
  { weight: 4, arbitrary: id.map((one) => s.calls(one, 'Task', { prompt: 'Go', description: 'One' })) },
  { weight: 4, arbitrary: id.map((one) => s.result(one, 'x', { toolUseResult: { agentId: 'x1' } })) },
  {
    weight: 6,
    arbitrary: fc
      .record({
        type: fc.constantFrom('user', 'assistant', 'system', 'attachment', 'progress', 'summary', 'new'),
        uuid: fc.oneof(fc.constantFrom('u1', 'u2', 'u3'), junk),
        parentUuid: fc.oneof(fc.constantFrom('u1', 'u2', 'u3', null), junk),
        isSidechain: fc.oneof(fc.boolean(), junk),
        isMeta: fc.boolean(),
        isCompactSummary: fc.boolean(),
        timestamp: fc.oneof(fc.integer({ min: 0, max: 90 }).map(timeAt), junk),
        cwd: fc.oneof(fc.constant('/work/shop'), junk),
        message: fc.oneof(
          fc.record({
            id: fc.constantFrom('m1', 'm2'),
            content: fc.array(block, { maxLength: 3 }),
            usage: junk,
          }),
          junk,
        ),
        toolUseResult: junk,
        attachment: fc.record({ type: fc.constant('queued_command'), prompt: fc.oneof(word, junk) }),
        subtype: fc.constantFrom('compact_boundary', 'informational', 'turn_duration'),
        content: fc.oneof(word, junk),
        costUSD: junk,
      })
      .map((value) => JSON.stringify(value)),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.string(),
      junk.map((value) => JSON.stringify(value)),
    ),
  },
)

test('any mix of lines becomes events that fit their schemas and make a state', {
  timeout: 120_000,
}, async () => {
  const home = await historyHome()
  let number = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 30 }),
      fc.array(line, { maxLength: 10 }),
      async (lines, agents) => {
        const name = `.claude/projects/p/s-${++number}`
        await home.write(`${name}.jsonl`, textOfLines(s.user('Go', { uuid: 'first' }), ...lines))
        await home.write(`${name}/subagents/agent-x1.jsonl`, textOfLines(...agents))
        const [entry] = await home.list('claude')
        const { events, agents: states } = await home.read(entry?.id ?? '')
        for (const event of events) agentEvent.parse(event)
        expect(states.map(({ lastSeq }) => lastSeq + 1).reduce((sum, count) => sum + count)).toBe(
          events.length,
        )
        // Every call has one result before the model goes on.
        for (const { id: agentId } of states) {
          const open = new Set<string>()
          for (const event of events.filter((one) => one.agentId === agentId)) {
            if (event.type === 'tool-started') open.add(event.toolUseId)
            if (event.type === 'tool-ended') open.delete(event.toolUseId)
            if (event.type === 'assistant-message') expect([...open]).toEqual([])
          }
          expect([...open]).toEqual([])
        }
        await rm(`${home.home}/${name}.jsonl`)
      },
    ),
    { numRuns: triesOf(300) },
  )
})

test('a conversation read in two steps is the same as one that was read at once', {
  timeout: 120_000,
}, async () => {
  const home = await historyHome()
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 20 }), fc.nat(), async (lines, at) => {
      const file = '.claude/projects/p/s-1.jsonl'
      const bytes = Buffer.from(textOfLines(s.user('Go', { uuid: 'first' }), ...lines))
      const first = bytes.indexOf('\n') + 1
      const cut = first + (at % Math.max(1, bytes.length - first))
      await home.write(file, bytes.subarray(0, cut))
      const [begun] = await home.list('claude')
      await home.read(begun?.id ?? '')
      await home.write(file, bytes)
      const [entry] = await home.list('claude')
      const twice = await home.read(entry?.id ?? '')
      await rm(home.dataFolder, { recursive: true, force: true })
      const [fresh] = await home.list('claude')
      expect(fresh).toEqual(entry)
      expect(await home.read(fresh?.id ?? '')).toEqual(twice)
    }),
    { numRuns: triesOf(100) },
  )
})
