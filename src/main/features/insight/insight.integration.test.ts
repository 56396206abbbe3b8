import { appendFile, mkdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { addUsage } from '../../../shared/events/model-requests.ts'
import { type InsightQuery, insightOf } from '../../../shared/insight/insight.ts'
import { noUsage } from '../../../shared/models/no-usage.ts'
import { spentIn } from '../../../shared/state/spending.ts'
import { SampleLog, sampleRecord } from '../../../shared/testing/sample-log.ts'
import { createSystemClock } from '../../platform/system/machine-time.ts'
import { encodeLine } from '../../platform/transcripts/log-line.ts'
import { openStore, unwrap, writeAll } from '../../platform/transcripts/testing/open-store.ts'
import { tempFolder } from '../../platform/transcripts/testing/temp-folder.ts'
import { parseLine } from '../../testing/parse-line.ts'
import { composeInsight } from './feature.ts'
import { insightCommand } from './insight-command.ts'

const START = new Date(2026, 10, 25, 12).getTime()
const ALL: InsightQuery = {
  ...{ by: 'conversation', since: null, until: null, folder: null, rehearsal: false, within: [] },
}

/** A main agent with a subagent and some turns. */
function work(id: string, turns = 3): SampleLog {
  const log = new SampleLog({ conversationId: id, now: START })
  const [main, one] = [`${id}-main`, `${id}-one`]
  log.starts({ id: main, name: 'main', color: 'blue', task: '' })
  log.answers(main, { calls: [{ agentId: one, type: 'Explore', task: 'Look' }], cost: 0.1 })
  log.starts({ id: one, name: 'Explore', color: 'teal', task: 'Look', parentId: main })
  for (let turn = 0; turn < turns; turn++)
    log.answers(one, { tools: [{ tool: 'Read', summary: 'a.ts', note: '12 lines' }], cost: 0.01 })
  log.ends(one, 'Found.')
  log.answers(main, { text: 'Done.', cost: 0.2 })
  return log
}

async function started() {
  const folder = await openStore()
  const { dataFolder, store } = folder
  const problems: string[] = []
  const reader = (elapsed = () => 0) =>
    composeInsight({ dataFolder, store, elapsed, onProblem: (problem) => void problems.push(problem) })
  const costs = async (from = reader()) => {
    const known = await from.read(1000)
    const report = insightOf(known.conversations, ALL)
    return { ...known, report, usd: report.total.figures.costUsd, turns: report.total.figures.turns }
  }
  return { ...folder, problems, reader, costs, cache: join(dataFolder, 'insight.jsonl') }
}

test('sums of a conversation are those of its states, as the status bar and the usage dialog show them', async () => {
  const { write, store, costs } = await started()
  const log = work('c-1')
  await write('c-1', log.events)
  const states = unwrap(await store.states(['c-1-main', 'c-1-one']))
  const { tokens, usd, priced, totalMs } = spentIn(states)
  const { figures } = (await costs()).report.total
  const usage = states.reduce((sum, state) => addUsage(sum, state.usage), noUsage)
  expect(figures).toMatchObject({ ...usage, countedTokens: tokens, unpriced: priced ? 0 : 1 })
  expect(figures.costUsd).toBeCloseTo(usd)
  expect(figures.turns).toBe(states.reduce((sum, { turns }) => sum + turns, 0))
  expect(figures.workedMs).toBe(
    totalMs(states[0]?.lastAt ?? 0) + spentIn(states.slice(1)).totalMs(0) + (states[1]?.workedMs ?? 0),
  )
})

test('reads a log once, then what was added to it', async () => {
  const { write, store, costs, reader, cache } = await started()
  await write('c-1', work('c-1').events)
  await write('c-2', work('c-2').events)
  const transcript = join(cache, '..', 'tasks', 'c-1-one', 'transcript.jsonl')
  await utimes(transcript, 1000, 1000)
  expect(await costs()).toMatchObject({ usd: expect.closeTo(0.66), turns: 10, reading: null })
  // Another program reads nothing but the file of the first one: the transcripts could as well be damaged.
  const whole = await readFile(transcript)
  await writeFile(transcript, Buffer.alloc(whole.length, ' '))
  await utimes(transcript, 1000, 1000)
  expect(await costs()).toMatchObject({ usd: expect.closeTo(0.66), damaged: 0 })
  await writeFile(transcript, whole)

  const same = reader()
  expect(await costs(same)).toMatchObject({ usd: expect.closeTo(0.66) })
  const more = work('c-1')
  const known = more.events.length
  more.answers('c-1-main', { text: 'More.', cost: 1 })
  const log = unwrap(await store.open(unwrap(await store.read('c-1'))))
  await writeAll(log, more.events.slice(known))
  // It is open here: the lock of another process would not matter either.
  expect(await costs(same)).toMatchObject({ usd: expect.closeTo(1.66), turns: 11 })
  await log.close()
})

test('reads in parts, each of which tells how far it is, and keeps what a part has read', async () => {
  const { write, reader } = await started()
  for (const id of ['c-1', 'c-2']) await write(id, work(id, 300).events)
  let time = 0
  const slow = reader(() => (time += 1))
  const parts: number[] = []
  let known = await slow.read(3)
  while (known.reading !== null) {
    expect(known.reading.done).toBeLessThanOrEqual(known.reading.all)
    parts.push(insightOf(known.conversations, ALL).total.figures.turns)
    known = await slow.read(3)
  }
  expect(parts.length).toBeGreaterThan(3)
  expect(parts).toEqual([...parts].sort((one, other) => one - other))
  expect(insightOf(known.conversations, ALL).total.figures.turns).toBe(604)
})

test('an event that waits for the disk counts already', async () => {
  const { write, store, costs, reader } = await started()
  const sample = work('c-1')
  await write('c-1', sample.events)
  const same = reader()
  await costs(same)
  const log = unwrap(await store.open(unwrap(await store.read('c-1'))))
  const known = sample.events.length
  sample.answers('c-1-main', { text: 'More.', cost: 1 })
  for (const event of sample.events.slice(known)) log.append(event)
  expect(await costs(same)).toMatchObject({ usd: expect.closeTo(1.33) })
  await log.close()
})

test('two that ask at the same time do not count twice', async () => {
  const { write, reader } = await started()
  await write('c-1', work('c-1').events)
  const one = reader()
  const known = await Promise.all([one.read(1000), one.read(1000)])
  for (const { conversations } of known)
    expect(insightOf(conversations, ALL).total.figures).toMatchObject({
      costUsd: expect.closeTo(0.33),
      turns: 5,
    })
})

test('the file of what was read may be missing, broken, of another version, or not writable', async () => {
  const { write, costs, cache, problems } = await started()
  await write('c-1', work('c-1').events)
  const right = { usd: expect.closeTo(0.33), turns: 5, damaged: 0 }
  await costs()
  const good = await readFile(cache, 'utf8')
  for (const text of [
    '',
    'nonsense\n',
    good.slice(0, good.length - 40),
    good.replaceAll('0.01', '9.99'),
    good.replace('"v":1', '"v":0'),
  ]) {
    await writeFile(cache, text)
    expect(await costs()).toMatchObject(right)
  }
  await rm(cache)
  expect(await costs()).toMatchObject(right)
  expect(problems).toEqual([])
  // A folder of this name can't be replaced by the file.
  await rm(cache)
  await mkdir(join(cache, 'full'), { recursive: true })
  expect(await costs()).toMatchObject(right)
  expect(problems).toEqual([expect.stringContaining('What work cost was not saved')])
})

test('the end of a call counts the same however its line is written', async () => {
  const { write, costs } = await started()
  const log = work('c-1', 0)
  const endings = [
    { toolUseId: 't-1', name: 'Bash', isError: true, content: '"isError":false,' },
    { toolUseId: 't-2', name: 'mcp__a.b__c/d', content: 'é'.repeat(900) },
    { toolUseId: 't "3"', name: 'mcp__zürich__get', isError: true },
    {
      toolUseId: 't-4',
      name: 'Read',
      isError: true,
      display: { kind: 'agent', agentId: '","type":"tool-ended' },
    },
  ] as const
  for (const ending of endings) log.add('c-1-main', 'tool-ended', ending)
  // Another program may write the keys in another order.
  const { isError, ...other } = log.add('c-1-main', 'tool-ended', {
    toolUseId: 't-5',
    name: 'Grep',
    isError: true,
  })
  await write('c-1', [...log.events.slice(0, -1), { ...other, isError }])
  const { figures, work: kinds } = (await costs()).report.total
  expect(figures).toMatchObject({ calls: 5, failedCalls: 4 })
  expect(Object.values(kinds).map(({ calls }) => calls)).toEqual([2, 0, 1, 0, 0, 2, 0])
})

test('a torn last line is left out, and counted once it is whole', async () => {
  const { write, costs, transcript, reader } = await started()
  const log = work('c-1')
  await write('c-1', log.events)
  const last = log.add('c-1-main', 'assistant-message', { content: [], costUsd: 5 })
  const line = encodeLine(last)
  await appendFile(transcript('c-1-main'), line.slice(0, 60))
  const same = reader()
  expect(await costs(same)).toMatchObject({ usd: expect.closeTo(0.33), damaged: 0 })
  await appendFile(transcript('c-1-main'), line.slice(60))
  expect(await costs(same)).toMatchObject({ usd: expect.closeTo(5.33), damaged: 0 })
})

test('a damaged log counts up to the damage, and is named as damaged', async () => {
  const { write, costs, transcript } = await started()
  await write('c-1', work('c-1').events)
  const lines = (await readFile(transcript('c-1-one'), 'utf8')).split('\n')
  lines.splice(5, 2)
  await writeFile(transcript('c-1-one'), lines.join('\n'))
  expect(await costs()).toMatchObject({ usd: expect.closeTo(0.31), damaged: 1 })
})

test('a log that was replaced by another one is read anew', async () => {
  const { write, costs, transcript, reader } = await started()
  await write('c-1', work('c-1').events)
  const same = reader()
  await costs(same)
  const other = work('c-1', 20).events.filter(({ agentId }) => agentId === 'c-1-one')
  const changed = other.map((event): AgentEvent => ({ ...event, at: event.at + 1 }))
  await writeFile(transcript('c-1-one'), changed.map(encodeLine).join(''))
  expect(await costs(same)).toMatchObject({ usd: expect.closeTo(0.5), damaged: 0 })
})

test('events of an older version are upgraded, and those of a newer one are left out and counted', async () => {
  const { write, costs, transcript } = await started()
  const log = work('c-1')
  await write('c-1', log.events)
  const own = log.events.filter(({ agentId }) => agentId === 'c-1-main')
  const head = (seq: number) => ({ agentId: 'c-1-main', seq: own.length + seq, order: 900 + seq, at: START })
  const asked = {
    v: 1,
    ...head(0),
    type: 'permission-asked',
    promptId: 'p',
    toolUseId: 't',
    toolName: 'Bash',
  }
  const subject = { kind: 'command', action: 'run', text: 'ls', folder: '/x' }
  const lines = [
    { ...asked, subject, because: '', alwaysRule: null },
    { v: 99, ...head(1), type: 'thought-read', costUsd: 4 },
  ]
  await appendFile(transcript('c-1-main'), lines.map(encodeLine).join(''))
  const known = await costs()
  expect(known).toMatchObject({ usd: expect.closeTo(0.33), newer: 1, damaged: 0 })
  expect(known.report.total.figures.asked).toBe(1)
})

test('attempts at test cases count', async () => {
  const { store, costs, reader } = await started()
  const attempt = sampleRecord('c-3', ['c-3-main', 'c-3-one'], { scratch: true, test: true })
  const log = unwrap(await store.open(attempt))
  await writeAll(log, work('c-3').events)
  await log.close()
  expect(await costs(reader())).toMatchObject({ usd: expect.closeTo(0.33) })
})

test('conversations that were moved to the trash or only try a definition do not count, and the former are told', async () => {
  const { write, store, costs, reader, dataFolder } = await started()
  await write('c-1', work('c-1').events)
  await write('c-2', work('c-2').events)
  const scratch = sampleRecord('c-3', ['c-3-main', 'c-3-one'], { scratch: true })
  const log = unwrap(await store.open(scratch))
  await writeAll(log, work('c-3').events)
  await log.close()
  const same = reader()
  expect(await costs(same)).toMatchObject({ usd: expect.closeTo(0.66) })
  unwrap(await store.trash('c-2'))
  unwrap(await store.trash('c-3'))
  expect(await costs(same)).toMatchObject({ usd: expect.closeTo(0.33), trashed: 1 })
  expect((await run(dataFolder)).err).toBe('1 conversation in the trash is not counted.\n')
  expect(await readFile(join(dataFolder, 'insight.jsonl'), 'utf8')).not.toContain('c-2')
})

// ---- The command line. ----

async function run(dataFolder: string, ...args: readonly string[]) {
  const parsed = parseLine<Parameters<typeof insightCommand>[0]>(['insight', ...args])
  if (!parsed.ok) return { code: 2, out: '', err: parsed.failure.message }
  const [out, err]: [string[], string[]] = [[], []]
  const code = await insightCommand(parsed.value, {
    ...{ dataFolder, elapsed: () => 0 },
    clock: { ...createSystemClock(), now: () => START },
    output: { write: (text) => void out.push(text) },
    errors: { write: (text) => void err.push(text) },
  })
  return { code, out: out.join(''), err: err.join('') }
}

test('prints a table, JSON or CSV', async () => {
  const { write, dataFolder } = await started()
  await write('c-1', work('c-1').events)
  const text = await run(dataFolder)
  expect(text).toMatchObject({ code: 0, err: '' })
  expect(text.out).toMatch(
    /^\$0\.33, 6.9k tokens in 1 conversation, 2026-11-25 to 2026-11-25\.\n\nDEFINITION +COST/,
  )
  expect(text.out).toMatch(/^main +\$0\.30 +2.8k +81% /m)
  const json = JSON.parse((await run(dataFolder, '--by', 'model', '--json')).out) as object
  expect(json).toMatchObject({ by: 'model', rows: [{ name: 'claude-sonnet-4-5', agents: 2 }] })
  expect((await run(dataFolder, '--by', 'agent', '--csv', '-')).out).toMatch(
    /^task,definition,conversation_id,.*\r\nConversation c-1,main,c-1,c-1-main,1,1,/,
  )
  const file = join(await tempFolder(), 'costs.csv')
  expect(await run(dataFolder, '--csv', file)).toMatchObject({
    code: 0,
    out: '',
    err: `Wrote 2 rows to ${file}\n`,
  })
  expect(await readFile(file, 'utf8')).toMatch(/^definition,/)
  // A file that is there is not replaced.
  expect(await run(dataFolder, '--csv', file)).toMatchObject({
    code: 1,
    err: expect.stringContaining('exists, and was not changed'),
  })
})

test('limits the time and the folder, and says what is wrong with them', async () => {
  const { write, dataFolder } = await started()
  expect(await run(dataFolder)).toMatchObject({ code: 0, out: 'No work in this time.\n' })
  await write('c-1', work('c-1').events)
  expect((await run(dataFolder, '--until', 'yesterday')).out).toBe('No work in this time.\n')
  expect((await run(dataFolder, '--since', '2026-11', '--folder', '/work')).out).toContain('$0.33')
  expect((await run(dataFolder, '--folder', '/elsewhere')).out).toBe('No work in this time.\n')
  for (const [args, message] of [
    [['--since', 'soon'], '--since "soon" is no date.'],
    [['--since', '2026-12-01', '--until', 'today'], '--since 2026-12-01 is after --until 2026-11-25.'],
    [['--by', 'size'], 'Unknown group "size". Use one of: definition, folder,'],
    [['--csv', '-', '--json'], '--csv can’t be combined with --json.'],
    [['last', 'month'], 'Unexpected argument "last".'],
  ] as const)
    expect(await run(dataFolder, ...args)).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(message),
    })
})
