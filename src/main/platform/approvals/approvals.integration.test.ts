import { readdirSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Approvable, createApprovals } from './approvals.ts'

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'troupe-approvals-'))
})

afterEach(() => rm(root, { recursive: true, force: true }))

const server = (definition: unknown): Approvable => ({ kind: 'mcp-server', name: 'linear', definition })
const open = () => createApprovals({ dataFolder: join(root, 'data') })

test('an approval holds for one definition in one folder, also after a restart', async () => {
  const one = server({ command: 'npx', args: ['linear@1.4.0'] })
  expect(await open().of(root, one)).toEqual({ state: 'new' })
  expect(await open().decide(root, one, 'approved')).toMatchObject({ ok: true })
  expect(await open().of(root, one)).toEqual({ state: 'approved' })
  expect(await open().of(root, server({ args: ['linear@1.4.0'], command: 'npx' }))).toEqual({
    state: 'approved',
  })
  expect(await open().of(join(root, 'data'), one)).toEqual({ state: 'new' })
  expect(await open().of(root, { ...one, kind: 'hook' })).toEqual({ state: 'new' })
})

test('a changed definition asks again and knows the approved one', async () => {
  await open().decide(root, server({ args: ['linear@1.4.0'] }), 'approved')
  expect(await open().of(root, server({ args: ['linear@latest'] }))).toEqual({
    state: 'changed',
    former: { args: ['linear@1.4.0'] },
  })
})

test('a refusal holds until the definition changes', async () => {
  await open().decide(root, server(1), 'refused')
  expect(await open().of(root, server(1))).toEqual({ state: 'refused' })
  expect(await open().of(root, server(2))).toEqual({ state: 'new' })
})

test('a broken file approves nothing and is replaced', async () => {
  const approvals = open()
  await approvals.decide(root, server(1), 'approved')
  const [hash = ''] = readdirSync(join(root, 'data', 'projects'))
  await writeFile(join(root, 'data', 'projects', hash, 'approvals.json'), '{ "entries": oops')
  expect(await approvals.of(root, server(1))).toEqual({ state: 'new' })
  await approvals.decide(root, server(1), 'approved')
  expect(await approvals.of(root, server(1))).toEqual({ state: 'approved' })
})
