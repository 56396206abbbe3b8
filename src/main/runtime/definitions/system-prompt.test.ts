import { describe, expect, test } from 'vitest'
import type { FolderFacts } from '../ports.ts'
import { buildSystemPrompt } from './system-prompt.ts'

const facts: FolderFacts = {
  isRepository: true,
  gitBranch: 'main',
  platform: 'linux',
  instructions: [
    { path: '/home/me/.claude/CLAUDE.md', text: 'Speak plainly.\n' },
    { path: '/repo/AGENTS.md', text: 'Tabs, not spaces.' },
  ],
}
const definition = {
  prompt: 'You look for bugs.\n',
  reminder: 'You only read.',
  omitProjectInstructions: false,
}
const build = (more: Partial<Parameters<typeof buildSystemPrompt>[0]> = {}) =>
  buildSystemPrompt({ definition, skills: [], facts, cwd: '/repo', date: '2026-02-03', ...more })

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

  test('leaves the instructions out where the definition says so, whatever they are', () => {
    const lean = { ...definition, omitProjectInstructions: true }
    expect(build({ definition: lean })).toBe(
      build({ definition: lean, facts: { ...facts, instructions: [] } }),
    )
    expect(build({ definition: lean })).not.toContain('Tabs')
  })

  test('says what is known of git', () => {
    expect(build({ facts: { ...facts, gitBranch: null } })).toContain('yes, no branch checked out')
    expect(build({ facts: { ...facts, isRepository: false, gitBranch: null } })).toContain(
      'Git repository: no',
    )
  })

  test('has no gaps where there is nothing to say', () => {
    const bare = buildSystemPrompt({
      definition: { prompt: ' ', reminder: null, omitProjectInstructions: false },
      skills: [],
      facts: { ...facts, instructions: [] },
      cwd: '/repo',
      date: '2026-02-03',
    })
    expect(bare.startsWith('# Where you work')).toBe(true)
    expect(bare).not.toMatch(/\n{3}|\s$/)
  })
})
