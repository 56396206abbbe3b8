import { describe, expect, test } from 'vitest'
import type { AgentMemory, FolderFacts, InstructionFile } from '../ports.ts'
import { buildSystemPrompt } from './system-prompt.ts'

const facts: FolderFacts = {
  isRepository: true,
  gitBranch: 'main',
  platform: 'linux',
}
const file = (path: string, text: string): InstructionFile => {
  return { path, text, scope: 'project', importedBy: null, bytes: text.length }
}
const memory: AgentMemory = {
  files: [
    file('/home/me/.claude/CLAUDE.md', 'Speak plainly.\n'),
    file('/repo/AGENTS.md', 'Tabs, not spaces.'),
  ],
  folder: null,
  problems: [],
}
const definition = {
  prompt: 'You look for bugs.\n',
  reminder: 'You only read.',
  readOnly: false,
}
const toolNames = ['Read', 'Edit']
const build = (more: Partial<Parameters<typeof buildSystemPrompt>[0]> = {}) =>
  buildSystemPrompt({
    definition,
    skills: [],
    facts,
    memory,
    toolNames,
    cwd: '/repo',
    date: '2026-02-03',
    ...more,
  })

describe('the system prompt', () => {
  test('is the body, where it works, the instructions with their files, and the reminder last', () => {
    expect(build()).toBe(`You look for bugs.

# Where you work
Folder: /repo
Git repository: yes, on branch main
Platform: linux
Date: 2026-02-03

# Instructions of this project and its user
They hold for all work here, unless the user says otherwise.

## From /home/me/.claude/CLAUDE.md
Speak plainly.

## From /repo/AGENTS.md
Tabs, not spaces.

You only read.`)
  })

  test('is the same to the letter for siblings, so that they share what is cached', () => {
    expect(build()).toBe(build({ facts: structuredClone(facts), definition: { ...definition } }))
  })

  test('says what is known of git', () => {
    expect(build({ facts: { ...facts, gitBranch: null } })).toContain('yes, no branch checked out')
    expect(build({ facts: { ...facts, isRepository: false, gitBranch: null } })).toContain(
      'Git repository: no',
    )
  })

  test('has no gaps where there is nothing to say', () => {
    const bare = buildSystemPrompt({
      definition: { prompt: ' ', reminder: null, readOnly: false },
      skills: [],
      facts,
      toolNames,
      memory: { ...memory, files: [] },
      cwd: '/repo',
      date: '2026-02-03',
    })
    expect(bare.startsWith('# Where you work')).toBe(true)
    expect(bare).not.toMatch(/\n{3}|\s$/)
  })

  test('says which file of instructions imports which, and shows what hides in a path', () => {
    const imported = { ...file('/repo/docs/a\u202e.md', 'A.'), importedBy: '/repo/CLAUDE.md' }
    expect(build({ memory: { ...memory, files: [imported] } })).toContain(
      '## From /repo/docs/a⟨RLO⟩.md, imported by /repo/CLAUDE.md\nA.',
    )
  })
})

describe('an agent’s own memory in its prompt', () => {
  const folder = '/home/me/.claude/agent-memory/a'
  const notes: InstructionFile = { ...file(`${folder}/MEMORY.md`, 'Tests need Redis.\n'), scope: 'agent' }
  const withNotes = { ...memory, files: [...memory.files, notes], folder }

  test('comes after the instructions, with its folder, how to keep it, and what it says', () => {
    const prompt = build({ memory: withNotes })
    const places = [
      '# Instructions',
      '# Your memory',
      folder,
      'One fact a line',
      'Tests need Redis.',
      'You only read.',
    ]
    const found = places.map((words) => prompt.indexOf(words))
    expect(found).toEqual([...found].sort((a, b) => a - b))
    expect(found).not.toContain(-1)
    expect(prompt).not.toContain(`## From ${folder}`)
  })

  test('says so where nothing was noted yet, and is left out where there is none', () => {
    expect(build({ memory: { ...memory, folder } })).toContain('MEMORY.md says nothing yet.')
    expect(build()).not.toContain('# Your memory')
  })

  test('tells who can’t write that they only read', () => {
    const words = 'This time you can read it, not write to it.'
    expect(build({ memory: withNotes })).not.toContain(words)
    expect(build({ memory: withNotes, toolNames: ['Read'] })).toContain(words)
    expect(build({ memory: withNotes, definition: { ...definition, readOnly: true } })).toContain(words)
  })
})
