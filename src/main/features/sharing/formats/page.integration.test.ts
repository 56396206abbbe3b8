import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { buildSharedPage } from '../../../../../scripts/shared-page.ts'
import type { PageLine } from '../../../../shared/sharing/page-data.ts'
import { openStore, unwrap } from '../../../platform/transcripts/testing/open-store.ts'
import { sampleEvents } from '../../../platform/transcripts/testing/sample-events.ts'
import { type Share, type SharingDeps, shareChunks } from '../share-conversation.ts'
import { HOME, KEY, MAIN, READER } from '../testing/sample-conversation.ts'
import { sharedStore } from '../testing/shared-store.ts'

async function textOf(share: Share, deps: SharingDeps): Promise<string> {
  let text = ''
  for await (const chunk of unwrap(await shareChunks(share, deps)))
    text += Buffer.from(unwrap(chunk)).toString()
  return text
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

function linesIn(page: string): readonly PageLine[] {
  const pieces = [...page.matchAll(/<script type="text\/plain" class="data">([^<]*)<\/script>/g)]
  const bytes = Buffer.concat(pieces.map(([, base64 = '']) => Buffer.from(base64, 'base64')))
  return gunzipSync(bytes)
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as PageLine)
}

async function builtPage(): Promise<string> {
  const { dataFolder } = await openStore()
  const file = join(dataFolder, 'page.html')
  await buildSharedPage(file)
  return file
}

test('the page runs its own script only, and has the conversation as data', async () => {
  const { deps, share } = await sharedStore({ pageFile: await builtPage() })
  const page = await textOf({ ...share, format: 'html' }, deps)
  const rules = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? ''
  const script = /<script>([\s\S]*?)<\/script>/.exec(page)?.[1] ?? ''
  const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? ''
  expect(rules.split('; ')).toEqual([
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ])
  expect(page).not.toContain('onerror')
  const lines = linesIn(page)
  expect(lines[0]).toMatchObject({ line: 'head', title: 'Make the retries honest', folder: '~/src/shop' })
  expect(JSON.stringify(lines)).not.toContain(KEY)
  const rows = lines.flatMap((line) => (line.line === 'rows' && line.agentId === READER ? line.rows : []))
  expect(rows.map(({ kind }) => kind)).toEqual(['message', 'call', 'text', 'note'])
  expect(rows[1]).toMatchObject({ title: 'Bash env', output: 'ANTHROPIC=[secret]\nPATH=/bin' })
  const spans = lines.flatMap((line) => (line.line === 'spans' ? line.spans : []))
  expect(spans.filter(({ agentId, kind }) => agentId === MAIN && kind === 'model')).toHaveLength(2)
})

test('a long conversation makes a page of at most one and a half its size', async () => {
  const pageFile = await builtPage()
  const { store, write } = await openStore()
  const id = 'c-01jf8z3k4y7g1p5a8rjk'
  await write(id, sampleEvents(MAIN, 400, 5000))
  const deps: SharingDeps = { store, home: HOME, version: '1.2.3', pageFile, secrets: () => [] }
  const share: Share = { conversationId: id, format: 'jsonl', without: [], keepPaths: false }
  const lines = await textOf(share, deps)
  const page = await textOf({ ...share, format: 'html' }, deps)
  expect(page.length).toBeLessThan(1.5 * lines.length)
  expect(
    linesIn(page).flatMap((line) => (line.line === 'rows' ? line.rows : [])).length,
  ).toBeGreaterThanOrEqual(399)
})

test('says what to do where the page was not built', async () => {
  const { deps, share } = await sharedStore()
  for await (const chunk of unwrap(await shareChunks({ ...share, format: 'html' }, deps)))
    expect(chunk).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining('npm run build') },
    })
  expect.assertions(1)
})
