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
}
const build = (more: Partial<Parameters<typeof buildSystemPrompt>[0]> = {}) =>
  buildSystemPrompt({ definition, skills: [], facts, memory, cwd: '/repo', date: '2026-02-03', ...more })

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
      definition: { prompt: ' ', reminder: null },
      skills: [],
      facts,
      memory: { ...memory, files: [] },
      cwd: '/repo',
      date: '2026-02-03',
    })
    expect(bare.startsWith('# Where you work')).toBe(true)
    expect(bare).not.toMatch(/\n{3}|\s$/)
  })
})
