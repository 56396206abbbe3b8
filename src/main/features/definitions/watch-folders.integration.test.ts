import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDefinitionSource } from './definition-source.ts'
import { watchFolders } from './watch-folders.ts'

let base: string
const put = async (path: string, text = 'x') => {
  await mkdir(dirname(join(base, path)), { recursive: true })
  await writeFile(join(base, path), text)
}
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'troupe-watch-')))
  await mkdir(join(base, 'repo', '.git'), { recursive: true })
  await writeFile(join(base, 'repo', '.git', 'HEAD'), 'ref: refs/heads/main\n')
})
afterEach(() => rm(base, { recursive: true, force: true }))

/** Waits for a watcher's notifications. */
function listen() {
  const heard = { times: 0, waiting: [] as (() => void)[] }
  return {
    heard,
    changed: () => {
      heard.times++
      for (const resolve of heard.waiting.splice(0)) resolve()
    },
    /** Resolves on the first notification after the change began. */
    toldAfter: async (change: () => Promise<void>) => {
      const told = new Promise<void>((resolve) => heard.waiting.push(resolve))
      await change()
      await told
    },
  }
}

/** Resolves when the watcher is ready. */
async function watching(folders: readonly string[]) {
  const { heard, changed, toldAfter } = listen()
  const ends: (() => void)[] = []
  await toldAfter(async () => {
    ends.push(watchFolders(async () => folders.map((folder) => join(base, folder)), changed))
  })
  const end = () => {
    for (const each of ends) each()
  }
  return { heard, toldAfter, end }
}

test('new, changed and deleted files cause notifications, in folders created later', async () => {
  const { changed, toldAfter } = listen()
  const source = createDefinitionSource({
    builtIn: {},
    home: join(base, 'home'),
    plugins: () => [join(base, 'kit')],
  })
  const ends: (() => void)[] = []
  try {
    await toldAfter(async () => {
      ends.push(source.watch(join(base, 'repo'), { trusted: true }, changed))
    })
    await toldAfter(() => put('repo/.claude/agents/deep/new.md'))
    await toldAfter(() => put('repo/.claude/agents/deep/new.md', 'other'))
    await toldAfter(() => put('home/.claude/agents/mine.md'))
    await toldAfter(() => put('repo/.claude/skills/commit/SKILL.md'))
    await toldAfter(() => put('kit/.claude-plugin/plugin.json', '{"agents": "more"}'))
    await toldAfter(() => put('kit/more/extra.md'))
    await toldAfter(() => rm(join(base, 'repo/.claude/agents/deep/new.md')))
    await toldAfter(() => rm(join(base, 'repo/.claude'), { recursive: true }))
    await toldAfter(() => put('repo/.claude/agents/again.md'))
  } finally {
    for (const end of ends) end()
  }
})

test('a folder that is moved in is watched', async () => {
  const { toldAfter, end } = await watching(['repo/agents'])
  try {
    await put('elsewhere/a.md')
    await toldAfter(() => rename(join(base, 'elsewhere'), join(base, 'repo/agents')))
    await toldAfter(() => put('repo/agents/a.md', 'other'))
  } finally {
    end()
  }
})

test('changes beside the folders or behind a link cause no notification', async () => {
  await put('watched/agents/a.md')
  await put('outside/deep/b.md')
  await symlink(join(base, 'outside'), join(base, 'watched/agents/link'))
  // The second folder is missing, so its parent is watched.
  const { heard, end } = await watching(['watched/agents', 'missing'])
  await put('other/a.md')
  const other = await watching(['other'])
  try {
    const before = heard.times
    await put('beside.txt')
    await put('outside/deep/b.md', 'other')
    await put('watched/agents/node_modules/pack/readme.md')
    await put('watched/agents/a.md.swp')
    // A notification of these would precede the second notification of the later writes.
    await other.toldAfter(() => put('other/a.md', 'one'))
    await other.toldAfter(() => put('other/a.md', 'two'))
    expect(heard.times).toBe(before)
  } finally {
    end()
    other.end()
  }
})

test('continuous changes cause continuous notifications', async () => {
  await put('agents/a.md')
  const { heard, end } = await watching(['agents'])
  const before = heard.times
  try {
    for (let round = 0; heard.times < before + 3; round++) await put('agents/a.md', `${round}`)
  } finally {
    end()
  }
  expect(heard.times).toBeGreaterThanOrEqual(before + 3)
})

test('no notification follows after the end', async () => {
  await put('agents/a.md')
  const { heard, end } = await watching(['agents'])
  const other = await watching(['agents'])
  const before = heard.times
  end()
  try {
    await other.toldAfter(() => put('agents/a.md', 'other'))
    await other.toldAfter(() => put('agents/b.md', 'other'))
  } finally {
    other.end()
  }
  expect(heard.times).toBe(before)
})
