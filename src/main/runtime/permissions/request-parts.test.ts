import { expect, test } from 'vitest'
import { ok } from '../../../shared/kernel/result.ts'
import type { FileLook } from './permission-concern.ts'
import { judgeCommand, judgeRead } from './testing/judge.ts'

/** A folder in which git ignores `dist`. */
const FILES = ['dist/a.js', 'dist/b/c.js', 'src/one.ts', 'src/two.ts', '.env']
const look: FileLook = {
  names: async (path) => {
    const below = `${path}/`.replace(/\/+$/, '/').slice('/repo/'.length)
    const names = new Set(
      FILES.filter((file) => file.startsWith(below)).map(
        (file) => file.slice(below.length).split('/')[0] ?? '',
      ),
    )
    return names.size === 0 || names.has('') ? null : [...names]
  },
  text: async () => null,
  findFile: async ({ ignored, passes }) =>
    ok(FILES.filter((file) => ignored || !file.startsWith('dist/')).find(passes) ?? null),
}

async function partsOf(command: string) {
  const decision = await judgeCommand(command, { look })
  if (decision.kind !== 'ask') throw new Error(`not asked: ${decision.because}`)
  return decision.subject.parts
}
const consequence = async (command: string) => (await partsOf(command))?.[0]?.danger?.consequence

test('each command of a command line is a part with its step, and only the deletion is dangerous', async () => {
  expect(await partsOf('npm run db:migrate && rm -rf dist/*')).toEqual([
    { text: 'npm run db:migrate', step: 1 },
    {
      text: 'rm -rf dist/*',
      step: 2,
      danger: {
        kind: 'deletes',
        consequence: 'Deletes 2 files. git ignores dist, so undo can’t restore them.',
      },
    },
  ])
})

test('the commands of a pipeline are one step, and a part after || says that it needs a failure', async () => {
  expect(await partsOf('npm test | tail -5 || npm run fix')).toEqual([
    { text: 'npm test', step: 1 },
    { text: 'tail -5', step: 1 },
    { text: 'npm run fix', step: 2, afterFailure: true },
  ])
})

test.each([
  ['rm -r dist', 'Deletes 2 files. git ignores dist, so undo can’t restore them.'],
  ['rm src/one.ts', 'Deletes 1 file.'],
  ['rm -r src', 'Deletes 2 files.'],
  ['rm -r build', 'Deletes no file that exists now.'],
  ['rm -r $WHERE', 'Deletes files.'],
  ['rm -r /etc/app', 'Deletes /etc/app, which is outside the folder.'],
  ['find . -name "*.log" -delete', 'Deletes every file that it finds.'],
  ['git reset --hard', 'Discards all uncommitted changes.'],
  ['git push --force origin main', 'Overwrites or deletes commits of the remote repository.'],
  ['sudo ls', 'Runs with the rights of another user, outside every limit of Troupe.'],
])('%s: %s', async (command, sentence) => {
  expect(await consequence(command)).toBe(sentence)
})

test('a command that shows a secret file is dangerous for that, and so is reading the file', async () => {
  expect((await partsOf('cat .env && npm test'))?.[0]).toMatchObject({
    text: 'cat .env',
    danger: { kind: 'secret' },
  })
  const read = await judgeRead('.env')
  expect(read).toMatchObject({
    kind: 'ask',
    subject: { parts: [{ danger: { kind: 'secret', consequence: /sent to the model/ } }] },
  })
})

test('a plain command, and one that can’t be taken apart, has no parts', async () => {
  expect(await partsOf('npm test')).toBeUndefined()
  expect(await partsOf('if [ "$(')).toBeUndefined()
})
