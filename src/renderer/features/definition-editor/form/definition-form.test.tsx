import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDefinitionDocument, type DefinitionDocument } from '../definition-document.ts'
import { DefinitionForm } from './definition-form.tsx'
import { formSurroundings } from './testing/form-surroundings.ts'

/** Written by a person: comments, odd quotes, CRLF, keys that nobody knows. */
const FILE = [
  '---',
  '# who it is',
  'name:   odd-one   # kept',
  `"description": 'It''s for oddities'`,
  'unknown_key: {a: 1,   b: [x,y]}',
  'tools: [Read, "Grep" , Bash(git diff:*)]',
  'disallowedTools:',
  '    - Write   # never',
  '    - Edit',
  'model: opus  # slow but careful',
  'maxTurns: 020',
  'skills: alpha, beta',
  'color: "red"',
  'forkContext: false # no',
  '...',
  '',
  '\tA body with a tab.',
  '---',
  'More.',
].join('\r\n')

let user = userEvent.setup()
beforeEach(() => {
  user = userEvent.setup()
})
afterEach(cleanup)

interface Opened {
  readonly document: DefinitionDocument
  readonly onReveal: () => void
}

function open(text = FILE, { readOnly = false } = {}): Opened {
  const document = createDefinitionDocument(text)
  const onReveal = vi.fn()
  render(
    <DefinitionForm
      document={document}
      surroundings={formSurroundings()}
      readOnly={readOnly}
      onReveal={onReveal}
    />,
  )
  return { document, onReveal }
}

const form = (document: DefinitionDocument) => (
  <DefinitionForm document={document} surroundings={formSurroundings()} readOnly={false} />
)

/** The whole text, with one part of it replaced. */
function with_(before: string, after: string, text = FILE): string {
  expect(text).toContain(before)
  return text.replace(before, () => after)
}

const textbox = (name: string | RegExp) => screen.getByRole<HTMLInputElement>('textbox', { name })
const radio = (group: string, name: string) =>
  within(screen.getByRole('radiogroup', { name: group })).getByRole('radio', { name })
const chip = (name: string | RegExp) => screen.getByRole('button', { name })

describe('fields in which a person writes', () => {
  test('the name, letter by letter, and nothing else of the file', async () => {
    const { document } = open()
    await user.type(textbox('Name'), '-2')
    expect(document.text).toBe(with_('odd-one', 'odd-one-2'))
  })

  test('the description keeps its quotes and its line', async () => {
    const { document } = open()
    const field = textbox('When to use it')
    expect(field.value).toBe("It's for oddities")
    await user.type(field, ". Don't")
    expect(document.text).toBe(with_("oddities'", "oddities. Don''t'"))
  })

  test('line breaks of a description', async () => {
    const text = '---\r\nname: a\r\ndescription: one\r\nother: 1\r\n---\r\nBody\r\n'
    const { document } = open(text)
    await user.type(textbox('When to use it'), '{Enter}two')
    expect(document.text).toBe(with_('one', '|-\r\n  one\r\n  two', text))
    expect(textbox('When to use it').value).toBe('one\ntwo')
  })

  test('blanks at the end stay while one types, and are not written', async () => {
    const text = '---\nname: a\ndescription: one\n---\n'
    const { document } = open(text)
    const field = textbox('When to use it')
    await user.type(field, '  ')
    expect(field.value).toBe('one  ')
    expect(document.text).toBe(text)
    await user.type(field, 'two ')
    expect(document.text).toBe(with_('one', 'one  two', text))
    await user.tab()
    expect(field.value).toBe('one  two')
  })

  test('an emptied field takes its key out; typed into again, the key is where and how it was', async () => {
    const { document } = open()
    const field = textbox('When to use it')
    await user.clear(field)
    expect(document.text).toBe(with_(`"description": 'It''s for oddities'\r\n`, ''))
    expect(screen.getByText(/There is no description/)).toBeTruthy()
    await user.type(field, 'New')
    expect(document.text).toBe(with_("'It''s for oddities'", "'New'"))
  })

  test('the turns at most', async () => {
    const { document } = open()
    const field = textbox('Turns at most')
    expect(field.value).toBe('20')
    await user.type(field, '{ArrowUp}')
    expect(document.text).toBe(with_('020', '21'))
    await user.clear(field)
    expect(document.text).toBe(with_('maxTurns: 020\r\n', ''))
    await user.type(field, '7')
    expect(document.text).toBe(with_('020', '7'))
  })

  test('the body keeps what is around it, its tab and the line ends', async () => {
    const { document } = open()
    const field = textbox(/^Body/)
    expect(field.value).toBe('\tA body with a tab.\n---\nMore.')
    await user.type(field, '{Enter}Last. ')
    expect(document.text).toBe(`${FILE}\r\nLast.`)
    expect(field.value.endsWith('Last. ')).toBe(true)
    await user.clear(field)
    expect(document.text).toBe(FILE.slice(0, FILE.indexOf('\tA body')))
    await user.type(field, 'Anew')
    expect(document.text).toBe(`${FILE.slice(0, FILE.indexOf('\tA body'))}Anew`)
  })

  test('a file that ends with the fence gets a body', async () => {
    const { document } = open('---\nname: a\ndescription: b\n---')
    await user.type(textbox(/^Body/), 'Hi')
    expect(document.text).toBe('---\nname: a\ndescription: b\n---\n\nHi\n')
  })

  test('reminder and initial prompt', async () => {
    const { document } = open()
    await user.type(textbox('Reminder'), 'Only: read')
    expect(document.text).toContain('\r\ncriticalSystemReminder: "Only: read"\r\n')
    await user.type(textbox('Initial prompt'), 'Go')
    expect(document.text).toContain('\r\ninitialPrompt: Go\r\n')
    await user.clear(textbox('Reminder'))
    await user.clear(textbox('Initial prompt'))
    expect(document.text).toBe(FILE)
  })
})

describe('wrong input is told below the field and not written', () => {
  test.each([
    ['Name', 'a:b', /separates a plugin/],
    ['Name', '', /can’t be empty/],
    ['Turns at most', 'many', /^This is a whole/],
    ['Turns at most', '0', /^This is a whole/],
  ])('%s: “%s”', async (label, typed, words) => {
    const { document } = open()
    const field = textbox(label)
    const before = document.text
    await user.tripleClick(field)
    await (typed === '' ? user.keyboard('{Backspace}') : user.paste(typed))
    expect(document.text).toBe(before)
    expect(field.value).toBe(typed)
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByText(words)).toBeTruthy()
    await user.tab()
    expect(field.value).toBe(typed)
    await user.click(field)
    await user.keyboard('{Escape}')
    expect(field.value).not.toBe(typed)
    expect(screen.queryByText(words)).toBeNull()
  })

  test('a wrong value in the file is shown as it is, with what is wrong', async () => {
    const text = '---\nname: a\ndescription: b\nmaxTurns: many # so\npermissionMode: always\n---\n'
    const { document } = open(text)
    expect(textbox('Turns at most').value).toBe('many')
    expect(screen.getByText('This is a whole number from 1.')).toBeTruthy()
    expect(screen.getByText(/This is one of default/)).toBeTruthy()
    expect(screen.getByText('the file says always')).toBeTruthy()
    for (const each of within(screen.getByRole('radiogroup', { name: 'Permissions' })).getAllByRole('radio'))
      expect(each.getAttribute('aria-checked')).toBe('false')
    await user.click(radio('Permissions', 'ask'))
    expect(document.text).toBe(with_('always', 'default', text))
  })

  test('the description of a file without a name is not emptied: it would be no agent', async () => {
    const text = '---\ndescription: b\n---\n'
    const { document } = open(text)
    await user.clear(textbox('When to use it'))
    expect(document.text).toBe(text)
    expect(screen.getByText(/it would be no agent/)).toBeTruthy()
  })

  test('what mends a problem is a button below it', async () => {
    const text = '---\nname: a\ndescription: when: lost\ntools: Raed, Grep\n---\n'
    const { document } = open(text)
    await user.click(screen.getByRole('button', { name: 'Quote the description' }))
    expect(document.text).toBe(with_('when: lost', '"when: lost"', text))
    await user.click(screen.getByRole('button', { name: 'Use Read' }))
    expect(document.text).toContain('tools: Read, Grep\n')
  })
})

describe('choices', () => {
  test.each<[string, string, string, string]>([
    ['Model', 'haiku', 'model: opus', 'model: haiku'],
    // The line has a comment, which would go with it.
    ['Model', 'inherit', 'model: opus', 'model: inherit'],
    ['Colour', 'blue', 'color: "red"', 'color: "blue"'],
    ['Permissions', 'don’t ask', 'color: "red"\r\n', 'color: "red"\r\npermissionMode: dontAsk\r\n'],
    ['Isolation', 'own worktree', '# no\r\n', '# no\r\nisolation: worktree\r\n'],
    ['Context', 'whole conversation', 'forkContext: false #', 'forkContext: true #'],
    ['Memory', 'project', '# no\r\n', '# no\r\nmemory: project\r\n'],
  ])('%s: %s', async (group, name, before, after) => {
    const { document } = open()
    await user.click(radio(group, name))
    expect(document.text).toBe(with_(before, after))
    expect(radio(group, name).getAttribute('aria-checked')).toBe('true')
    act(() => void document.undo())
    expect(document.text).toBe(FILE)
  })

  test('the usual choice takes the key out', async () => {
    const text = '---\nname: a\ndescription: b\nmodel: opus\nisolation: worktree\nmemory: user\n---\n'
    const { document } = open(text)
    await user.click(radio('Model', 'inherit'))
    await user.click(radio('Isolation', 'shared folder'))
    await user.click(radio('Memory', 'none'))
    expect(document.text).toBe('---\nname: a\ndescription: b\n---\n')
  })

  test('arrow keys choose', async () => {
    const { document } = open()
    act(() => radio('Model', 'opus').focus())
    await user.keyboard('{ArrowLeft}')
    expect(document.text).toBe(with_('opus', 'sonnet'))
    act(() => radio('Colour', 'red').focus())
    await user.keyboard('{ArrowRight}')
    expect(document.text).toContain('color: "orange"')
  })

  test('other models: fable, those of the API, any id', async () => {
    const { document } = open()
    await user.click(chip('Other models'))
    await user.click(screen.getByRole('menuitemradio', { name: /fable/ }))
    expect(document.text).toBe(with_('opus', 'fable'))
    await user.click(chip('Other models: fable'))
    await user.click(screen.getByRole('menuitemradio', { name: /claude-opus-5-5/ }))
    expect(document.text).toBe(with_('opus', 'claude-opus-5-5'))
    await user.click(chip('Other models: claude-opus-5-5'))
    await user.click(screen.getByRole('menuitem', { name: 'Another id…' }))
    const field = textbox('Model id')
    await user.clear(field)
    await user.type(field, 'claude-next')
    expect(document.text).toBe(with_('opus', 'claude-next'))
  })

  test('bypassing is chosen in the menu, and says what it is not', async () => {
    const { document } = open()
    await user.click(chip('Other permission modes'))
    await user.click(screen.getByRole('menuitemradio', { name: /^bypass permissions/ }))
    expect(document.text).toContain('permissionMode: bypassPermissions\r\n')
    expect(screen.getByText(/never has more than its parent/)).toBeTruthy()
    await user.click(chip('Other permission modes: bypass permissions'))
    await user.click(screen.getByRole('menuitemradio', { name: /^as its parent/ }))
    expect(document.text).toBe(FILE)
  })

  test('a colour as #hex is written in quotes; half of one is not', async () => {
    const text = '---\nname: a\ndescription: b\n---\n'
    const { document } = open(text)
    await user.click(chip('Another colour'))
    const field = textbox('Colour as #hex')
    await user.type(field, '#ff88')
    expect(document.text).toContain('color: "#ff8"\n')
    expect(screen.getByText(/three or six digits/)).toBeTruthy()
    await user.type(field, '00')
    expect(document.text).toBe('---\nname: a\ndescription: b\ncolor: "#ff8800"\n---\n')
    await user.click(chip('No colour of its own'))
    expect(document.text).toBe(text)
  })

  test('a colour that nobody knows is shown as what it is', () => {
    open('---\nname: a\ndescription: b\ncolor: magenta\n---\n')
    expect(screen.getByText(/“magenta” is none of the eight, and is shown as/)).toBeTruthy()
  })

  test('effort and flags', async () => {
    const { document } = open()
    await user.click(radio('Effort', 'high'))
    expect(document.text).toContain('\r\neffort: high\r\n')
    await user.click(radio('Effort', 'usual'))
    for (const [label, key] of [
      ['Read only', 'readOnly'],
      ['In the background', 'background'],
      ['One shot', 'oneShot'],
      ['Skips project instructions', 'omitProjectInstructions'],
      ['Hidden', 'hidden'],
    ] as const) {
      await user.click(screen.getByRole('switch', { name: label }))
      expect(document.text).toContain(`\r\n${key}: true\r\n`)
      await user.click(screen.getByRole('switch', { name: label }))
      expect(document.text).toBe(FILE)
    }
  })
})

describe('lists of names', () => {
  test('skills are taken out and put in from a menu of those there are; a missing one is marked', async () => {
    const { document } = open()
    await user.click(chip('Take out beta, missing'))
    expect(document.text).toBe(with_('alpha, beta', 'alpha'))
    await user.click(chip('Add a skill'))
    await user.click(screen.getByRole('menuitem', { name: /^gamma/ }))
    expect(document.text).toBe(with_('alpha, beta', 'alpha, gamma'))
    act(() => chip('Take out gamma').focus())
    await user.keyboard('{Delete}')
    act(() => chip('Take out alpha').focus())
    await user.keyboard(' ')
    expect(document.text).toBe(with_('skills: alpha, beta\r\n', ''))
    expect(document.text).not.toContain('skills')
  })

  test('aliases are typed; a wrong one is told and not written', async () => {
    const { document } = open()
    await user.click(chip('Add an alias'))
    await user.type(textbox('New alias'), 'a:b{Enter}')
    expect(document.text).toBe(FILE)
    expect(screen.getByText(/separates a plugin/)).toBeTruthy()
    await user.clear(textbox('New alias'))
    await user.type(textbox('New alias'), 'ab{Enter}')
    expect(document.text).toContain('\r\naliases: [ab]\r\n')
  })

  test('servers: all, some, none, all', async () => {
    const { document } = open()
    await user.click(chip('Add a server'))
    await user.click(screen.getByRole('menuitem', { name: 'github' }))
    expect(document.text).toContain('\r\nmcpServers: [github]\r\n')
    await user.click(chip('Take out github'))
    expect(document.text).toContain('\r\nmcpServers: []\r\n')
    await user.click(chip('All that are connected'))
    expect(document.text).toBe(FILE)
  })

  test('servers of its own are not touched: they are changed in the source', async () => {
    const text = '---\nname: a\ndescription: b\nmcpServers:\n  - github\n  - own: { command: x }\n---\n'
    const { onReveal } = open(text)
    expect(screen.getByText('own')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Add a server' })).toBeNull()
    await user.click(chip('Line 4'))
    expect(onReveal).toHaveBeenCalled()
  })
})

describe('what is rarely used', () => {
  test('is folded, and opens by itself where one of it is set', async () => {
    const { document } = open('---\nname: a\ndescription: b\n---\n')
    const button = screen.getByRole('button', { name: /^More/ })
    expect(button.getAttribute('aria-expanded')).toBe('false')
    act(() => document.replaceWith('---\nname: a\ndescription: b\nhidden: true\n---\n'))
    expect(button.getAttribute('aria-expanded')).toBe('true')
    await user.click(button)
    expect(screen.queryByRole('switch', { name: 'Hidden' })).toBeNull()
    act(() => document.replaceWith('---\nname: a\ndescription: b\nhidden: true\neffort: low\n---\n'))
    expect(button.getAttribute('aria-expanded')).toBe('true')
  })

  test('keys that nobody knows are shown as they are, with a way to their line', async () => {
    const { document, onReveal } = open()
    expect(screen.getByText('unknown_key: {a: 1, b: [x,y]}')).toBeTruthy()
    const reveal = vi.spyOn(document, 'reveal')
    await user.click(chip('Show unknown_key in the source, line 5'))
    const [from = 0, to = 0] = reveal.mock.calls[0] ?? []
    expect(FILE.slice(from, to)).toBe('unknown_key: {a: 1,   b: [x,y]}')
    expect(onReveal).toHaveBeenCalled()
  })

  test('hooks are shown as they are written', () => {
    open('---\nname: a\ndescription: b\nhooks:\n  Stop:\n    - command: x\n---\n')
    expect(screen.getByText(/Stop:\s+- command: x/)).toBeTruthy()
  })
})

test('the body has a preview, and its text is kept meanwhile', async () => {
  const { document } = open()
  await user.click(radio('Body as', 'Preview'))
  expect(screen.getByRole('region', { name: 'Preview of the body' }).textContent).toContain('More.')
  await user.click(radio('Body as', 'Text'))
  expect(textbox(/^Body/).value).toBe('\tA body with a tab.\n---\nMore.')
  expect(document.text).toBe(FILE)
})

describe('undo', () => {
  test('in a field undoes in the text, a field and a focus at a time', async () => {
    const { document } = open()
    await user.type(textbox('Name'), '-2')
    await user.type(textbox('When to use it'), '!')
    await user.keyboard('{Control>}z{/Control}')
    expect(document.text).toBe(with_('odd-one', 'odd-one-2'))
    expect(textbox('When to use it').value).toBe("It's for oddities")
    await user.keyboard('{Control>}z{/Control}')
    expect(document.text).toBe(FILE)
    await user.keyboard('{Control>}{Shift>}z{/Shift}{/Control}')
    expect(document.text).toBe(with_('odd-one', 'odd-one-2'))
    expect(textbox('Name').value).toBe('odd-one-2')
  })

  test('of what is not in the text yet is the field’s own', async () => {
    const { document } = open()
    await user.type(textbox('Name'), '-2')
    await user.click(chip('Add a rule for Bash'))
    await user.type(textbox('Rule for Bash'), 'ls')
    await user.keyboard('{Control>}z{/Control}')
    expect(document.text).toBe(with_('odd-one', 'odd-one-2'))
  })

  test('from the menu is the document’s, too', async () => {
    const { document } = open()
    await user.type(textbox('Name'), '-2')
    const event = new InputEvent('beforeinput', {
      inputType: 'historyUndo',
      bubbles: true,
      cancelable: true,
    })
    act(() => void textbox('Name').dispatchEvent(event))
    expect(event.defaultPrevented).toBe(true)
    expect(document.text).toBe(FILE)
  })

  test('another document starts with fields of its own', async () => {
    const { rerender } = render(form(createDefinitionDocument(FILE)))
    await user.type(textbox('Name'), ':')
    expect(screen.getByText(/separates a plugin/)).toBeTruthy()
    rerender(form(createDefinitionDocument(FILE)))
    expect(textbox('Name').value).toBe('odd-one')
    expect(screen.queryByText(/separates a plugin/)).toBeNull()
  })

  test('what changes elsewhere is seen in a field that is being typed in', async () => {
    const { document } = open()
    await user.type(textbox('Name'), '-2 ')
    act(() => document.replaceWith(with_('odd-one', 'other')))
    expect(textbox('Name').value).toBe('other')
  })
})

test('read-only: everything is shown, nothing changes', async () => {
  const { document } = open(FILE, { readOnly: true })
  await user.type(textbox('Name'), 'x')
  await user.type(textbox(/^Body/), 'x')
  await user.click(radio('Model', 'haiku'))
  await user.click(radio('Colour', 'blue'))
  await user.click(chip('Read: allowed'))
  await user.click(chip('alpha'))
  for (const each of screen.queryAllByRole('switch')) await user.click(each)
  await user.keyboard('{Control>}z{/Control}')
  expect(document.text).toBe(FILE)
  expect(screen.queryByRole('button', { name: 'Add a skill' })).toBeNull()
})

describe('a file that is no agent', () => {
  test('is made one by a click', async () => {
    const { document } = open('# Notes\n')
    await user.click(chip('Make it the agent odd'))
    expect(document.text).toBe('---\nname: odd\n---\n# Notes\n')
    expect(textbox('Name').value).toBe('odd')
  })

  test('that can’t be read says where', async () => {
    const { document } = open('---\nname: a\nother: [a\n')
    const reveal = vi.spyOn(document, 'reveal')
    await user.click(chip('Show line 1'))
    expect(reveal).toHaveBeenCalled()
  })
})
