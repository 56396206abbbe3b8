import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, test } from 'vitest'
import type { ToolConditions } from '../../../../../shared/agent-definition/agent-catalog.ts'
import { openConditions } from '../../../../../shared/agent-definition/effective-tools.ts'
import { readDefinition } from '../../../../../shared/agent-definition/read-definition.ts'
import { createDefinitionDocument, type DefinitionDocument } from '../../definition-document.ts'
import { toolReasons } from '../../panels/tool-reasons.ts'
import { toolsOfAgent } from '../../surroundings.ts'
import { DefinitionForm } from '../definition-form.tsx'
import { formSurroundings } from '../testing/form-surroundings.ts'

const HEAD = ['---', 'other: {x:  1}', '# tools', 'name: a', `description: 'b'`, ''].join('\r\n')
const TAIL = ['---', 'Body', ''].join('\r\n')
const fileOf = (...lines: readonly string[]) => HEAD + lines.map((line) => `${line}\r\n`).join('') + TAIL

const user = userEvent.setup()
afterEach(cleanup)

function open(...lines: readonly string[]): DefinitionDocument {
  const document = createDefinitionDocument(fileOf(...lines))
  render(<DefinitionForm document={document} surroundings={formSurroundings()} readOnly={false} />)
  return document
}

const tools = () => within(screen.getByRole('group', { name: 'Tools' }))
const chip = (name: string | RegExp) => tools().getByRole('button', { name })
const note = () => screen.getByText(/effective · /).textContent ?? ''
/** The number in the panel of effective tools. */
function effectiveIn(text: string): number | undefined {
  const { definition } = readDefinition(text, { stem: 'a', source: 'project' })
  return definition === null ? undefined : toolReasons(text, definition, formSurroundings()).names.length
}
const press = (name: string | RegExp) => user.click(chip(name))

test('a click moves a tool from not listed to allowed to denied and edits only its entry', async () => {
  const document = open('tools: [Read, "Grep" ] # few', 'disallowedTools:', '    - Write   # never')
  await press('Glob: not listed')
  expect(document.text).toBe(
    fileOf('tools: [Read, "Grep", Glob ] # few', 'disallowedTools:', '    - Write   # never'),
  )
  await press('Glob: allowed')
  expect(document.text).toBe(
    fileOf('tools: [Read, "Grep" ] # few', 'disallowedTools:', '    - Write   # never', '    - Glob'),
  )
  await press('Glob: denied')
  expect(document.text).toBe(
    fileOf('tools: [Read, "Grep" ] # few', 'disallowedTools:', '    - Write   # never'),
  )
  await press('Write: denied')
  expect(document.text).toBe(fileOf('tools: [Read, "Grep" ] # few'))
})

test('a click that changes both lists is one undo step', async () => {
  const document = open('tools: Read, Grep')
  await press('Read: allowed')
  expect(document.text).toBe(fileOf('tools: Grep', 'disallowedTools: Read'))
  act(() => void document.undo())
  expect(document.text).toBe(fileOf('tools: Read, Grep'))
})

test('removing the last tool leaves an empty list, not all tools', async () => {
  const document = open('tools: Read')
  await press('Read: allowed')
  await press('Read: denied')
  expect(document.text).toBe(fileOf('tools: []'))
})

test('the keyboard changes a tool, the new state is announced, and the focus stays', async () => {
  const document = open('tools: Read, Bash(ls)')
  act(() => chip('Read: allowed').focus())
  await user.keyboard(' ')
  expect(document.text).toBe(fileOf('tools: Bash(ls)', 'disallowedTools: Read'))
  expect(tools().getByRole('status').textContent).toBe('Read: denied')
  act(() => chip('Bash(ls): allowed').focus())
  await user.keyboard('{Enter}')
  await user.keyboard('{Enter}')
  expect(tools().queryByRole('button', { name: /^Bash\(ls\)/ })).toBeNull()
  expect(screen.getByRole('group', { name: 'Tools' }).contains(window.document.activeElement)).toBe(true)
})

test('tool names of other programs are the same tools', async () => {
  const document = open('tools: Task, LS')
  expect(chip('Agent: allowed')).toBeTruthy()
  await press('Glob: allowed')
  expect(document.text).toBe(fileOf('tools: Task', 'disallowedTools: Glob'))
})

describe('all tools', () => {
  test('a click only allows or denies', async () => {
    const document = open()
    const effective = Number(/^(\d+) of 16 effective · 0 denied$/.exec(note())?.[1])
    expect(effective).toBe(effectiveIn(document.text))
    await press('Write: allowed')
    expect(document.text).toBe(fileOf('disallowedTools: Write'))
    expect(note()).toBe(`${effective - 1} of 16 effective · 1 denied`)
    expect(effectiveIn(document.text)).toBe(effective - 1)
    await press('Write: denied')
    expect(document.text).toBe(fileOf())
  })

  test('switching off lists the current tools; switching on removes the list', async () => {
    const document = open('disallowedTools: Write, Edit')
    await user.click(screen.getByRole('switch', { name: 'All tools' }))
    expect(document.text).toBe(
      fileOf(
        'tools: Read, Glob, Grep, NotebookEdit, Bash, WebFetch, WebSearch, Agent, TodoWrite, Skill, mcp__github',
        'disallowedTools: Write, Edit',
      ),
    )
    await user.click(screen.getByRole('switch', { name: 'All tools' }))
    expect(document.text).toBe(fileOf('disallowedTools: Write, Edit'))
  })

  test('a star means all tools', async () => {
    const document = open('tools: "*" # all')
    expect(screen.getByRole('switch', { name: 'All tools' }).getAttribute('aria-checked')).toBe('true')
    await press('Bash: allowed')
    expect(document.text).toBe(fileOf('tools: "*" # all', 'disallowedTools: Bash'))
    await press('Bash: denied')
    expect(document.text).toBe(fileOf('tools: "*" # all'))
  })
})

describe('rules', () => {
  test('can be allowed or denied; a tool with listed rules is not offered as a whole', async () => {
    const document = open('tools: Read')
    await press('Add rule for Bash')
    const field = screen.getByRole('textbox', { name: 'Rule for Bash' })
    await user.type(field, 'git diff:*{Enter}')
    expect(document.text).toBe(fileOf('tools: Read, Bash(git diff:*)'))
    expect(tools().queryByRole('button', { name: /^Bash:/ })).toBeNull()
    await user.type(field, 'rm:*')
    await user.click(screen.getByRole('button', { name: 'Deny' }))
    expect(document.text).toBe(fileOf('tools: Read, Bash(git diff:*)', 'disallowedTools: Bash(rm:*)'))
    await user.type(field, 'Read(secret/**)')
    await user.click(screen.getByRole('button', { name: 'Deny' }))
    expect(document.text).toContain('disallowedTools: Bash(rm:*), Read(secret/**)\r\n')
  })

  test('unbalanced parentheses are an error and not written', async () => {
    const document = open('tools: Read')
    await press('Add rule for Bash')
    await user.type(screen.getByRole('textbox', { name: 'Rule for Bash' }), 'echo ({Enter}')
    expect(document.text).toBe(fileOf('tools: Read'))
    expect(screen.getByText(/Unbalanced/)).toBeTruthy()
  })

  test('agent types that it may start', async () => {
    const document = open('tools: Read')
    await press('Add type for Agent')
    await user.click(screen.getByRole('button', { name: 'Explore' }))
    await user.click(screen.getByRole('button', { name: 'Plan' }))
    await user.click(screen.getByRole('button', { name: 'Allow' }))
    expect(document.text).toBe(fileOf('tools: Read, Agent(Explore, Plan)'))
  })

  test('can only deny when all tools are allowed', async () => {
    const document = open()
    await press('Add rule for Bash')
    expect(screen.queryByRole('button', { name: 'Allow' })).toBeNull()
    await user.type(screen.getByRole('textbox', { name: 'Rule for Bash' }), 'rm:*{Enter}')
    expect(document.text).toBe(fileOf('disallowedTools: Bash(rm:*)'))
  })
})

describe('servers', () => {
  test('a server, one of its tools, and a server that is not connected', async () => {
    const document = open('tools: Read, mcp__semgrep__scan')
    const later = chip(/^semgrep: scan \(not connected\): allowed\. MCP server semgrep is not connected/)
    expect(later.querySelector('s')).toBeNull()
    await press('github · 2: not listed')
    expect(document.text).toBe(fileOf('tools: Read, mcp__semgrep__scan, mcp__github'))
    await press('github · 2: allowed')
    expect(document.text).toBe(fileOf('tools: Read, mcp__semgrep__scan', 'disallowedTools: mcp__github'))
    await press('github · 2: denied')
    await press('Add MCP tool')
    await user.click(screen.getByRole('menuitem', { name: 'github: search' }))
    expect(document.text).toBe(fileOf('tools: Read, mcp__semgrep__scan, mcp__github__search'))
  })
})

describe('the ticks are the effective tools', () => {
  const closed = {
    leftOut: [
      {
        tool: 'Write',
        because: 'every call of it is denied until the user trusts the folder',
        agents: 'subagents',
      },
      { tool: 'Agent', because: 'it comes later', agents: 'main' },
    ],
  } as const
  test.each<[string, readonly string[], Partial<ToolConditions>]>([
    ['all tools', [], {}],
    ['every tool denied by a star', [`disallowedTools: '*'`], {}],
    ['an entry with an unclosed bracket', ['disallowedTools: "Bash("'], {}],
    ['a rule for a tool that has no parts', ['disallowedTools: WebSearch(x)'], {}],
    ['a tool of the main agent', ['tools: Read, AskUserQuestion'], {}],
    ['only read', ['readOnly: true'], {}],
    ['in the background', ['background: true'], {}],
    ['a fork', ['forkContext: true'], {}],
    ['a setting against MCP tools', [], { mcpToolsForSubagents: 'none' }],
    ['a setting for listed MCP tools', [], { mcpToolsForSubagents: 'listed' }],
    ['no deeper agents', [], { maxDepth: 1 }],
    ['an untrusted folder', [], closed],
    ['servers of others', ['mcpServers: [linear]'], {}],
    ['a pattern of servers', ['tools: Read, mcp__git*'], {}],
    ['one tool of a server', ['disallowedTools: mcp__github__search'], {}],
    ['a value that keeps the agent from being used', ['permissionMode: yolo'], {}],
    ['a map of tools', ['tools:', '  Read: true'], {}],
    ['only an unknown tool', ['tools: Raed'], {}],
    ['a rule that is denied too', ['tools: Bash(ls)', 'disallowedTools: Bash'], {}],
    ['a memory', ['tools: Grep', 'memory: project'], {}],
  ])('with %s', (_, lines, conditions) => {
    const surroundings = formSurroundings()
    const catalog = { ...surroundings.catalog, conditions: { ...openConditions, ...conditions } }
    const document = createDefinitionDocument(fileOf(...lines))
    render(
      <DefinitionForm document={document} surroundings={{ ...surroundings, catalog }} readOnly={false} />,
    )
    const { definition, offered } = readDefinition(document.text, { stem: 'a', source: 'project' })
    if (definition === null) throw new Error('not an agent')
    const { allowed } = toolsOfAgent({ definition, offered }, { ...surroundings, catalog })
    const chips = tools()
      .getAllByRole('button')
      .map(({ textContent }) => textContent ?? '')
    const ticked = new Set(chips.filter((text) => text.startsWith('✓ ')).map((text) => text.slice(2)))
    const isTicked = (tool: string) =>
      [...ticked].some((text) => text === tool || text.startsWith(`${tool}(`)) ||
      (tool.startsWith('mcp__github') &&
        [...ticked].some((text) => /^github\b|^every server|^git\*/.test(text)))
    for (const tool of catalog.tools.filter((each) => !each.startsWith('mcp__')))
      expect([tool, isTicked(tool)]).toEqual([tool, allowed.includes(tool)])
    expect(isTicked('mcp__github')).toBe(allowed.some((tool) => tool.startsWith('mcp__github')))
    expect(note()).toMatch(new RegExp(`^${allowed.length} of 16 effective`))
    if (allowed.length === 0) expect(ticked.size).toBe(0)
  })

  test('a chip says why its tool is not effective', async () => {
    open('tools: Read, AskUserQuestion, SendMessage, mcp__github', 'mcpServers: [linear]')
    expect(chip(/^AskUserQuestion: allowed\. Not effective: only the main agent has it\.$/).textContent).toBe(
      '– AskUserQuestion',
    )
    expect(chip(/^github · 2: allowed\. Not effective: the definition does not name its server/)).toBeTruthy()
    expect(chip('Write: not listed').textContent).toBe('Write')
    cleanup()
    open('disallowedTools: mcp__github__search')
    const part = chip(/^github · 2: allowed\. 1 of 2 effective\. The others: the definition denies it/)
    expect(part.textContent).toBe('✓ github · 2')
  })
})

test('an unknown tool has a quick fix to the nearest name', async () => {
  const document = open('tools: Raed, Grep')
  expect(chip(/^Raed: allowed/)).toBeTruthy()
  expect(screen.getByText(/Did you mean Read\?/)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Use Read' }))
  expect(document.text).toBe(fileOf('tools: Read, Grep'))
})

test('an invalid list allows nothing; a click writes a new list', async () => {
  const document = open('tools: { a: 1 }')
  expect(screen.getByText(/Must be a list of names/)).toBeTruthy()
  await press('Read: not listed')
  expect(document.text).toBe(fileOf('tools: Read'))
})

test('read-only is suggested when all write tools are denied', async () => {
  const document = open('disallowedTools: Write, Edit')
  expect(screen.queryByRole('button', { name: 'Make read-only' })).toBeNull()
  await press('NotebookEdit: allowed')
  await user.click(screen.getByRole('button', { name: 'Make read-only' }))
  expect(document.text).toBe(fileOf('disallowedTools: Write, Edit, NotebookEdit', 'readOnly: true'))
  expect(screen.queryByRole('button', { name: 'Make read-only' })).toBeNull()
})

describe('chips with a problem', () => {
  test('an unknown tool is marked on its chip with the message, and a suggestion replaces it', async () => {
    const document = open('tools: [Raed, "Grep"] # few', 'disallowedTools: Wrte(src/**)')
    const wrong = chip('Raed: allowed. Unknown tool Raed. Did you mean Read?')
    expect(wrong.querySelector('s')?.textContent).toBe('Raed')
    expect(chip('Grep: allowed').querySelector('s')).toBeNull()
    expect(chip(/^Wrte\(src\/\*\*\): denied\. Unknown tool Wrte/)).toBeTruthy()
    act(() => chip('Replace Raed with Read').focus())
    await user.keyboard('{Enter}')
    expect(document.text).toBe(fileOf('tools: [Read, "Grep"] # few', 'disallowedTools: Wrte(src/**)'))
    expect(screen.getByRole('group', { name: 'Tools' }).contains(window.document.activeElement)).toBe(true)
    // The rule stays.
    await press('Replace Wrte(src/**) with Write')
    expect(document.text).toBe(fileOf('tools: [Read, "Grep"] # few', 'disallowedTools: Write(src/**)'))
    act(() => void document.undo())
    expect(document.text).toContain('Wrte(src/**)')
  })

  test('a tool of another program has a message and no suggestion; a broken rule has its message', () => {
    open('tools: [Launch, "Bash(git"]')
    expect(chip('Launch: allowed. Unknown tool Launch.').querySelector('s')).not.toBeNull()
    expect(chip(/^Bash\(git: .* not balanced/)).toBeTruthy()
    expect(tools().queryByRole('button', { name: /^Replace/ })).toBeNull()
  })

  test('a read-only definition offers no replacement', () => {
    const document = createDefinitionDocument(fileOf('tools: Raed'))
    render(<DefinitionForm document={document} surroundings={formSurroundings()} readOnly />)
    expect(chip(/^Raed: allowed\. Unknown tool/)).toBeTruthy()
    expect(tools().queryByRole('button', { name: /^Replace/ })).toBeNull()
  })
})
