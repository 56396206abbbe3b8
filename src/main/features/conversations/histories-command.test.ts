import { expect, test } from 'vitest'
import type { HistoryEntry, HistorySource } from '../../../shared/histories/history.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { historiesContinue, historiesList, withHistoryId } from './histories-command.ts'

const entry: HistoryEntry = {
  ...{ id: 'from-claude-1', program: 'claude', title: 'Fix\u001b it', folder: '/shop', createdAt: 0 },
  ...{ updatedAt: Date.UTC(2026, 2, 1, 10, 5), agents: 2, bytes: 3 * 1024 * 1024 },
}
const source: HistorySource = {
  ...{ program: 'claude', place: '/home/.claude/projects', isFound: true, reading: 'on', problems: [] },
  entries: [entry],
}

function printing() {
  const [out, err]: [string[], string[]] = [[], []]
  return {
    output: { write: (text: string) => void out.push(text) },
    errors: { write: (text: string) => void err.push(text) },
    printed: () => ({ out: out.join(''), err: err.join('') }),
  }
}

async function list(more: Partial<HistorySource>, json = false) {
  const { printed, ...context } = printing()
  const histories = { list: async () => ok([{ ...source, ...more }]) }
  const code = await historiesList({ from: 'claude', json }, { ...context, histories })
  return { code, ...printed() }
}

test('lists a line for each conversation, or one value of JSON, with what could not be read', async () => {
  expect(await list({ problems: ['One can’t be read.'] })).toEqual({
    code: 0,
    out: 'from-claude-1  2026-03-01 10:05  Fix⟨ESC⟩ it  (/shop; 2 agents, 3 MB)\n',
    err: 'troupe: One can’t be read.\n',
  })
  expect(JSON.parse((await list({}, true)).out)).toEqual(entry)
})

test('says why nothing is listed', async () => {
  expect(await list({ reading: 'off', entries: [] })).toMatchObject({
    code: 1,
    err: expect.stringContaining('turned off'),
  })
  expect((await list({ isFound: false, entries: [] })).out).toContain('kept no conversations here')
  expect((await list({ entries: [] })).out).toContain('No conversations of Claude Code')
})

test('the id that a program gave its session counts, and Troupe’s own ids are not looked up', async () => {
  const asked: string[] = []
  const runtime = { find: async () => null }
  const histories = {
    find: async (name: string) => {
      asked.push(name)
      return name.startsWith('1111') ? ok(entry) : fail({ type: 'not-found', message: '' })
    },
  }
  const session = '11111111-2222-4333-8444-555555555555'
  expect(await withHistoryId(session, { runtime, histories })).toBe('from-claude-1')
  expect(await withHistoryId('c-1', { runtime, histories })).toBe('c-1')
  expect(await withHistoryId('22222222-2222-4333-8444-555555555555', { runtime, histories })).toMatch(/^2222/)
  expect(asked).toHaveLength(2)
})

test('names the copy and how to go on, or why there is none', async () => {
  const { printed, ...context } = printing()
  const dispatch = async () => ok({ id: 'c-9', title: 'Fix it', folder: '/shop' })
  const given = { id: 'from-claude-1', folder: null, json: false }
  expect(await historiesContinue(given, { ...context, dispatch: dispatch as never })).toBe(0)
  expect(printed().out).toContain('troupe run --resume c-9')
  const refuse = async () => fail({ type: 'folder-gone', message: '/shop is gone.' })
  expect(await historiesContinue(given, { ...context, dispatch: refuse as never })).toBe(1)
  expect(printed().err).toContain('/shop is gone.')
})
