import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSettingsLayers } from './settings-layers.ts'

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'troupe-layers-'))
})

afterEach(() => rm(root, { recursive: true, force: true }))

async function put(path: string, text: string): Promise<string> {
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  return file
}

const layers = (commandLine?: Readonly<Record<string, unknown>>) =>
  createSettingsLayers({
    dataFolder: join(root, 'data'),
    home: join(root, 'home'),
    managed: [join(root, 'etc/settings.json')],
    ...(commandLine && { commandLine }),
  })

async function putAll(): Promise<void> {
  for (const path of [
    'etc/settings.json',
    'work/.claude/settings.local.json',
    'work/.claude/settings.json',
    'home/.claude/settings.json',
    'data/settings.json',
  ])
    await put(path, JSON.stringify({ model: path }))
}

test('the strongest source comes first', async () => {
  await putAll()
  const { layers: read } = await layers({ model: 'given' }).read(join(root, 'work'), { trusted: true })
  expect(read.map(({ source, raw }) => [source, raw['model']])).toEqual([
    ['managed', 'etc/settings.json'],
    ['command-line', 'given'],
    ['local', 'work/.claude/settings.local.json'],
    ['project', 'work/.claude/settings.json'],
    ['own', 'data/settings.json'],
    ['user', 'home/.claude/settings.json'],
  ])
})

test('nothing of an untrusted folder is read', async () => {
  await putAll()
  const { layers: read } = await layers().read(join(root, 'work'), { trusted: false })
  expect(read.map(({ source }) => source)).toEqual(['managed', 'own', 'user'])
})

test('a broken file is reported, and the others apply', async () => {
  await putAll()
  const file = await put('work/.claude/settings.json', '{ oops')
  const { layers: read, problems } = await layers().read(join(root, 'work'), { trusted: true })
  expect(read.map(({ source }) => source)).toEqual(['managed', 'local', 'own', 'user'])
  expect(problems).toMatchObject([{ file, message: expect.stringContaining("doesn't apply") }])
})
