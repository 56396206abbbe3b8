/** The mockup's agents, and a large number of agents. */
import type { MadeUpFile } from '../../../src/renderer/features/definitions/testing/definition-folder.ts'
import type { DefinitionInfo } from '../../../src/shared/agent-definition/agent-catalog.ts'
import { SECURITY_REVIEWER } from '../../testing/security-reviewer.ts'

const plain = (name: string, description: string, more = ''): string =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n${description}\n`

const BROKEN = `---
name: db-expert
description: Knows the schema: tables, indexes, and what locks
tools:
  Read: true
permissionMode: yolo
model: sonnet
---

You know the database of this shop.
`

export const agentTexts: readonly MadeUpFile[] = [
  { source: 'project', path: 'security-reviewer.md', text: SECURITY_REVIEWER },
  {
    source: 'project',
    path: 'test-writer.md',
    text: plain('test-writer', 'Writes the failing test first.', 'color: green\nmodel: sonnet\n'),
  },
  {
    source: 'project',
    path: 'refactorer.md',
    text: plain('refactorer', 'Changes code without changing what it does.', 'color: orange\n'),
  },
  { source: 'project', path: 'db-expert.md', text: BROKEN },
  {
    source: 'user',
    path: 'security-reviewer.md',
    text: plain('security-reviewer', 'Reviews changes.', 'color: red\n'),
  },
  { source: 'user', path: 'doc-writer.md', text: plain('doc-writer', 'Writes documents.', 'color: cyan\n') },
  {
    source: 'plugin',
    plugin: 'release-kit',
    path: 'changelog.md',
    text: plain('changelog', 'Writes the changelog.', 'color: purple\n'),
  },
  {
    source: 'plugin',
    plugin: 'release-kit',
    path: 'notes/editor.md',
    text: plain('editor', 'Edits release notes.', 'color: purple\n'),
  },
  {
    source: 'managed',
    path: 'compliance-check.md',
    text: plain('compliance-check', 'Checks what the law wants.', 'color: red\n'),
  },
  {
    source: 'built-in',
    path: 'Explore.md',
    text: plain(
      'Explore',
      'Finds things in the code and explains how they hang together; it only reads.',
      'model: haiku\ncolor: blue\ndisallowedTools: Agent, Write, Edit, NotebookEdit\nreadOnly: true\n',
    ),
  },
  {
    source: 'built-in',
    path: 'Plan.md',
    text: plain('Plan', 'Works out the order of a change.', 'color: cyan\nreadOnly: true\n'),
  },
  {
    source: 'built-in',
    path: 'general-purpose.md',
    text: plain('general-purpose', 'Any task of several steps.', 'color: "#c4c7cf"\n'),
  },
  {
    source: 'built-in',
    path: 'Bash.md',
    text: plain('Bash', 'Runs commands and git.', 'color: yellow\ntools: Bash\n'),
  },
]

/** The given number of user agents, in folders of fifty. */
export function manyAgents(amount: number): readonly MadeUpFile[] {
  return Array.from({ length: amount }, (_, index) => ({
    source: 'user' as const,
    path: `part-${Math.floor(index / 50)}/helper-${index}.md`,
    text: plain(`helper-${index}`, `Looks after part ${index} of the shop.`),
  }))
}

export const definitions: readonly DefinitionInfo[] = [
  ['Explore', 'blue', 'Finds and reads code; changes nothing.', 'built-in', 'haiku'],
  ['Plan', 'cyan', 'Works out the order of a change.', 'built-in', 'inherit'],
  ['general-purpose', 'neutral', 'Any task of several steps.', 'built-in', 'inherit'],
  ['test-writer', 'green', 'Writes the failing test first.', 'project', 'sonnet'],
  ['refactorer', 'orange', 'Changes code without changing what it does.', 'project', 'sonnet'],
  [
    'security-reviewer',
    'pink',
    'Reviews changes for leaks of secrets, injection and broken access rules.',
    'project',
    'opus',
  ],
].map(([name = '', color = '', description = '', source = '', model = '']) => ({
  name,
  color,
  description,
  source,
  model,
  tools: null,
  hidden: false,
}))

export const files: readonly string[] = [
  'package.json',
  'README.md',
  'src/index.ts',
  'src/cart.ts',
  'src/http/log.ts',
  'src/orders/order.ts',
  'src/orders/refund.ts',
  'src/payments/charge.ts',
  'src/payments/gateway.ts',
  'src/payments/token.ts',
  'src/queue/with-retry.ts',
  'test/helpers/fake-gateway.ts',
  'test/payments/double-charge.test.ts',
]
