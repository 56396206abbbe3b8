import { expect, test } from 'vitest'
import { definitionNotes } from './definition-notes.ts'
import { readDefinition } from './read-definition.ts'

function notes(text: string) {
  const { definition } = readDefinition(text, { stem: 'stem', source: 'a test' })
  if (definition === null) throw new Error('It is no agent.')
  return definitionNotes(text, definition).map(
    ({ code, severity, line, column }) => `${line}:${column} ${severity} ${code}`,
  )
}
const of = (fields: string) => notes(`---\nname: a\ndescription: b\n${fields}\n---\n`)

test('what differs on purpose is a notice at its key', () => {
  expect(of('permissionMode: bypassPermissions')).toEqual(['4:1 notice mode-never-raises'])
  expect(of('permissionMode: acceptEdits')).toEqual(['4:1 notice mode-never-raises'])
  expect(of('tools: Grep\nmemory: project')).toEqual(['5:1 notice memory-folder-only'])
  expect(of('model: gpt-5')).toEqual(['4:1 notice foreign-model'])
  expect(notes('---\ndescription: b\n---\n')).toEqual(['1:1 notice no-name'])
})

test('what both programs do alike is no notice', () => {
  for (const fields of [
    'permissionMode: plan',
    'permissionMode: bubble',
    'memory: project',
    'tools: Grep\nmemory: project\nreadOnly: true',
    'model: Opus',
    'model: claude-sonnet-5-5',
    'model: sonnet[1m]',
    'model: local/qwen3',
    'backing: acp\ncommand: codex\nmodel: gpt-5',
  ])
    expect(of(fields), fields).toEqual([])
})
