import { expect, test } from 'vitest'
import type {
  KnownPrograms,
  ProgramOffer,
  ProgramState,
} from '../../../shared/external-agents/known-program.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { parseLine } from '../../testing/parse-line.ts'
import { type ProgramsCommand, type ProgramsContext, programsCommand } from './programs-command.ts'

const GEMINI: ProgramState = {
  ...{
    id: 'gemini',
    title: 'Gemini CLI',
    maker: 'Google',
    about: 'An agent.',
    package: '@google/gemini-cli',
  },
  ...{ pinned: '2.0.0', place: 'none', file: null, version: null, isUsed: false, update: null },
  ...{ problem: null, note: null, login: 'Log in.', lacks: ['It tells no cost.'], work: null },
}

const OFFER: ProgramOffer = {
  ...{ id: 'gemini', package: '@google/gemini-cli', version: '2.0.0', former: null, publisher: 'ada' },
  ...{ bytes: 100 * 1024 * 1024, folder: '/data/agents/gemini', problem: null },
}

interface Given {
  readonly state?: Partial<ProgramState>
  readonly offer?: Partial<ProgramOffer>
  readonly answer?: string
  readonly check?: Awaited<ReturnType<KnownPrograms['check']>>
}

async function perform(line: string, { state, offer, answer, check }: Given = {}) {
  const parsed = parseLine<ProgramsCommand>(['programs', ...line.split(' ')])
  if (!parsed.ok) return { code: 2, printed: '', complaints: parsed.failure.message, done: [] }
  let now: ProgramState = { ...GEMINI, ...state }
  const printed: string[] = []
  const complaints: string[] = []
  const done: string[] = []
  const context: ProgramsContext = {
    programs: {
      list: async () => [now],
      offer: async () => ok({ ...OFFER, ...offer }),
      install: async (id, version) => {
        done.push(`install ${id} ${version}`)
        now = { ...now, place: 'own', version, file: '/data/agents/gemini/x', isUsed: true, update: null }
        return ok(undefined)
      },
      cancel: () => undefined,
      remove: async () => fail({ type: 'not-here', message: 'Gemini CLI is not installed.' }),
      check: async () => check ?? fail({ type: 'no-answer', message: 'It is silent.' }),
      use: async (id, used) => {
        done.push(`use ${id} ${used}`)
        now = { ...now, isUsed: used }
        return ok(undefined)
      },
      watch: () => () => undefined,
    },
    add: async ({ name }) => {
      done.push(`add ${name}`)
      return ok(`/home/ada/.claude/agents/${name}.md`)
    },
    output: { write: (text) => void printed.push(text) },
    errors: { write: (text) => void complaints.push(text) },
    ask: answer === undefined ? null : async () => answer,
  }
  const code = await programsCommand(parsed.value, context)
  return { code, printed: printed.join(''), complaints: complaints.join(''), done }
}

test('the list says what is here and what to do next', async () => {
  expect((await perform('list')).printed).toBe(
    'gemini: Gemini CLI by Google, not installed: troupe programs install gemini\n',
  )
  const state = { place: 'path', file: '/usr/bin/gemini', version: '1.0.0' } as const
  expect((await perform('list', { state })).printed).toBe(
    'gemini: Gemini CLI by Google, found, not an agent yet: troupe programs enable gemini\n' +
      '  1.0.0, /usr/bin/gemini\n  Log in.\n  It tells no cost.\n',
  )
  const own = { ...state, place: 'own', isUsed: true, update: '2.0.0' } as const
  expect((await perform('list', { state: own })).printed).toContain(
    'installed, an agent; version 2.0.0 is there: troupe programs update gemini\n',
  )
  expect(JSON.parse((await perform('list --json')).printed)).toEqual({ type: 'program', ...GEMINI })
})

test('an installation shows publisher and size, and asks', async () => {
  const yes = await perform('install gemini', { answer: 'y' })
  expect(yes).toMatchObject({ code: 0, done: ['install gemini 2.0.0'] })
  expect(yes.printed).toContain(
    '@google/gemini-cli 2.0.0\n  publisher: ada\n  size: about 100 MB on the disk\n  folder: /data/agents/gemini\n',
  )
  expect(yes.printed).toContain('gemini: Gemini CLI by Google, installed, an agent\n')
  expect(await perform('install gemini', { answer: '' })).toMatchObject({ code: 0, done: [] })
  expect(await perform('install gemini')).toMatchObject({
    code: 2,
    done: [],
    complaints: expect.stringContaining('Add --yes'),
  })
  expect(await perform('install gemini --yes')).toMatchObject({ code: 0, done: ['install gemini 2.0.0'] })
})

test('with --json only the result is on standard output', async () => {
  const { printed } = await perform('install gemini --yes --json')
  expect(JSON.parse(printed)).toMatchObject({ type: 'program', place: 'own', version: '2.0.0' })
})

test('what would not work is not installed', async () => {
  const full = await perform('install gemini --yes', { offer: { problem: 'The disk is full.' } })
  expect(full).toMatchObject({ code: 1, done: [], complaints: 'troupe: The disk is full.\n' })
})

test('an update concerns what Troupe installed', async () => {
  expect(await perform('update')).toMatchObject({
    code: 0,
    printed: 'Troupe has installed no external agents.\n',
  })
  expect(await perform('update gemini')).toMatchObject({
    code: 1,
    complaints: expect.stringContaining('troupe programs install gemini'),
  })
  const state = { place: 'path', file: '/usr/bin/gemini' } as const
  expect((await perform('update gemini', { state })).complaints).toContain('Update it as you installed it.')
  const own = { place: 'own', version: '2.0.0' } as const
  expect(await perform('update', { state: own, offer: { former: '2.0.0' } })).toMatchObject({
    done: [],
    printed: 'Everything is up to date.\n',
  })
  // The registry has a version that the state does not know of.
  const newer = await perform('update', {
    state: own,
    offer: { former: '2.0.0', version: '2.1.0' },
    answer: 'n',
  })
  expect(newer).toMatchObject({ code: 0, done: [] })
  expect(newer.printed).toMatch(/^@google\/gemini-cli: from 2\.0\.0 to 2\.1\.0\n/)
  expect(
    await perform('update --yes', { state: own, offer: { former: '2.0.0', version: '2.1.0' } }),
  ).toMatchObject({ code: 0, done: ['install gemini 2.1.0'] })
})

test('a check tells version and login; a login that is needed is exit code 1', async () => {
  const value = {
    ...({ id: 'gemini', name: 'Gemini CLI', version: '2.0.0', ms: 1234, login: null } as const),
    can: { resume: true, images: false, mcp: ['http'] as const },
  }
  expect(await perform('check gemini', { check: ok(value) })).toMatchObject({
    code: 0,
    printed:
      'gemini: Gemini CLI 2.0.0\n  answered in 1.2 s; opens earlier sessions, reads no images\n  can be used now\n',
  })
  const login = { message: 'No key', methods: [{ id: 'web', name: 'Google', description: 'In the browser' }] }
  const needs = await perform('check gemini', { check: ok({ ...value, login }) })
  expect(needs).toMatchObject({ code: 1 })
  expect(needs.printed).toContain('  needs a login: No key\n    Google: In the browser\n')
  expect(await perform('check gemini')).toMatchObject({ code: 1, complaints: 'troupe: It is silent.\n' })
})

test('enabling, disabling, adding and removing', async () => {
  expect(await perform('enable gemini')).toMatchObject({ code: 0, done: ['use gemini true'] })
  expect(await perform('disable gemini')).toMatchObject({ code: 0, done: ['use gemini false'] })
  expect(await perform('remove gemini')).toMatchObject({ code: 1 })
  expect(await perform('add goose --description Geese -- goose acp')).toMatchObject({
    code: 0,
    printed: 'goose is an agent now: /home/ada/.claude/agents/goose.md\n',
  })
})

test.each([
  ['lst', 'Use troupe programs list'],
  ['install', 'NAME is one of: claude-code, codex, gemini, opencode'],
  ['install emacs', 'NAME is one of'],
  ['install gemini codex', 'Give one program'],
  ['list gemini', 'takes none'],
  ['check gemini --yes', 'yes'],
  ['add goose -- goose', '--description'],
  ['add ../x --description d -- goose', "can't be the name"],
  ['add goose --description d --env A=b -- goose', 'without a value'],
])('%s is wrong', async (line, message) => {
  expect(await perform(line)).toMatchObject({ code: 2, complaints: expect.stringContaining(message) })
})
