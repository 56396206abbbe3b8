import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSettingsLayers } from '../settings/settings-layers.ts'
import { withSettingsInstructions } from './settings-instructions.ts'
import { memoryFolders } from './testing/memory-folders.ts'

const on = memoryFolders()

async function textsFor(name: string, trusted = true) {
  const source = withSettingsInstructions(on.source, {
    layers: createSettingsLayers({ dataFolder: on.at('data'), home: on.at('home'), managed: [] }),
    home: on.at('home'),
    pluginStyles: async () => [on.at('plugin/output-styles')],
  })
  const agent = { name, memory: null, omitProjectInstructions: false }
  const { files, problems } = await source.load(on.at('project'), agent, { trusted })
  return { texts: files.map(({ text }) => text), problems, paths: files.map(({ path }) => on.short(path)) }
}

test('language and attribution reach every agent, an output style the main agent', async () => {
  await on.put({
    'home/.claude/settings.json': JSON.stringify({
      language: 'Japanese',
      outputStyle: 'Terse one',
      attribution: { commit: 'Made with care', pr: '' },
    }),
    'home/.claude/output-styles/terse.md': '---\nname: Terse one\ndescription: x\n---\nBe terse.',
    'home/.claude/CLAUDE.md': 'mine',
  })
  const { texts, paths } = await textsFor('main')
  expect(texts).toEqual([
    expect.stringMatching(/in this language: Japanese\.[\s\S]*with:\nMade with care\nAdd no attribution/),
    'Be terse.',
    'mine',
  ])
  expect(paths[1]).toBe('/home/.claude/output-styles/terse.md')
  expect((await textsFor('Explore')).texts).toHaveLength(2)
})

test('the project’s style counts in a trusted folder, and an unknown one is reported', async () => {
  await on.put({
    'project/.claude/settings.json': JSON.stringify({ outputStyle: 'poet', attribution: { commit: 'x' } }),
    'project/.claude/output-styles/poet.md': 'Rhyme.',
    'plugin/output-styles/pirate.md': 'Arr.',
  })
  expect((await textsFor('main')).texts).toEqual(['Rhyme.'])
  expect((await textsFor('main', false)).texts).toEqual([])
  await on.put({ 'project/.claude/settings.local.json': JSON.stringify({ outputStyle: 'pirate' }) })
  expect((await textsFor('main')).texts).toContain('Arr.')
  await on.put({ [join('home', '.claude', 'settings.json')]: JSON.stringify({ outputStyle: 'nowhere' }) })
  expect((await textsFor('main', false)).problems).toEqual([
    expect.stringContaining('There is no output style nowhere'),
  ])
})
