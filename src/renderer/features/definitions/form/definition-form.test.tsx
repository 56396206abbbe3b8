import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDefinitionDocument, type DefinitionDocument } from '../definition-document.ts'
import { DefinitionForm } from './definition-form.tsx'
import { formSurroundings } from './testing/form-surroundings.ts'

/** A handwritten file with comments, unusual quotes, CRLF and unknown keys. */
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

/** The whole text with one part replaced. */
function with_(before: string, after: string, text = FILE): string {
  expect(text).toContain(before)
  return text.replace(before, () => after)
}

const textbox = (name: string | RegExp) => screen.getByRole<HTMLInputElement>('textbox', { name })
const radio = (group: string, name: string) =>
  within(screen.getByRole('radiogroup', { name: group })).getByRole('radio', { name })
const chip = (name: string | RegExp) => screen.getByRole('button', { name })

describe('text fields', () => {
  test('typing the name changes nothing else in the file', async () => {
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

  test('trailing spaces stay in the field and are not written', async () => {
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

  test('emptying a field removes its key; typing again restores its position and quotes', async () => {
    const { document } = open()
    const field = textbox('When to use it')
    await user.clear(field)
    expect(document.text).toBe(with_(`"description": 'It''s for oddities'\r\n`, ''))
    expect(screen.getByText(/The description is missing/)).toBeTruthy()
    await user.type(field, 'New')
    expect(document.text).toBe(with_("'It''s for oddities'", "'New'"))
  })

  test('max turns', async () => {
    const { document } = open()
    const field = textbox('Max turns')
    expect(field.value).toBe('20')
    await user.type(field, '{ArrowUp}')
    expect(document.text).toBe(with_('020', '21'))
    await user.clear(field)
    expect(document.text).toBe(with_('maxTurns: 020\r\n', ''))
    await user.type(field, '7')
    expect(document.text).toBe(with_('020', '7'))
  })

  test('the body keeps its surrounding lines, its tab and the line endings', async () => {
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

  test('a body can be added to a file that ends with the fence', async () => {
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

describe('invalid input shows an error and is not written', () => {
  test.each([
    ['Name', 'a:b', /separates a plugin/],
    ['Name', '', /The name is empty/],
    ['Max turns', 'many', /^Enter a whole/],
    ['Max turns', '0', /^Enter a whole/],
  ])('%s: “%s”', async (label, typed, message) => {
    const { document } = open()
    const field = textbox(label)
    const before = document.text
    await user.tripleClick(field)
    await (typed === '' ? user.keyboard('{Backspace}') : user.paste(typed))
    expect(document.text).toBe(before)
    expect(field.value).toBe(typed)
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByText(message)).toBeTruthy()
    await user.tab()
    expect(field.value).toBe(typed)
    await user.click(field)
    await user.keyboard('{Escape}')
    expect(field.value).not.toBe(typed)
    expect(screen.queryByText(message)).toBeNull()
  })

  test('an invalid value in the file is shown with its problem', async () => {
    const text = '---\nname: a\ndescription: b\nmaxTurns: many # so\npermissionMode: always\n---\n'
    const { document } = open(text)
    expect(textbox('Max turns').value).toBe('many')
    expect(screen.getByText('Must be a whole number from 1.')).toBeTruthy()
    expect(screen.getByText(/Must be one of default/)).toBeTruthy()
    expect(screen.getByText('in the file: always')).toBeTruthy()
    for (const each of within(screen.getByRole('radiogroup', { name: 'Permissions' })).getAllByRole('radio'))
      expect(each.getAttribute('aria-checked')).toBe('false')
    await user.click(radio('Permissions', 'ask'))
    expect(document.text).toBe(with_('always', 'default', text))
  })

  test('the description of a file without a name can’t be emptied', async () => {
    const text = '---\ndescription: b\n---\n'
    const { document } = open(text)
    await user.clear(textbox('When to use it'))
    expect(document.text).toBe(text)
    expect(screen.getByText(/needs a description/)).toBeTruthy()
  })

  test('a quick fix is a button below its problem', async () => {
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
    // Removing the key would remove the comment on its line.
    ['Model', 'inherit', 'model: opus', 'model: inherit'],
    ['Color', 'blue', 'color: "red"', 'color: "blue"'],
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

  test('choosing the default removes the key', async () => {
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
    act(() => radio('Color', 'red').focus())
    await user.keyboard('{ArrowRight}')
    expect(document.text).toContain('color: "orange"')
  })

  test('other models: fable, models of the API, any id', async () => {
    const { document } = open()
    await user.click(chip('Other models'))
    await user.click(screen.getByRole('menuitemradio', { name: /fable/ }))
    expect(document.text).toBe(with_('opus', 'fable'))
    await user.click(chip('Other models: fable'))
    await user.click(screen.getByRole('menuitemradio', { name: /claude-opus-5-5/ }))
    expect(document.text).toBe(with_('opus', 'claude-opus-5-5'))
    await user.click(chip('Other models: claude-opus-5-5'))
    await user.click(screen.getByRole('menuitem', { name: 'Other id…' }))
    const field = textbox('Model id')
    await user.clear(field)
    await user.type(field, 'claude-next')
    expect(document.text).toBe(with_('opus', 'claude-next'))
  })

  test('bypassing permissions is in the menu and shows its limit', async () => {
    const { document } = open()
    await user.click(chip('Other permission modes'))
    await user.click(screen.getByRole('menuitemradio', { name: /^bypass permissions/ }))
    expect(document.text).toContain('permissionMode: bypassPermissions\r\n')
    expect(screen.getByText('No effect: allows more than your mode, Ask before edits.')).toBeTruthy()
    await user.click(chip('Other permission modes: bypass permissions'))
    await user.click(screen.getByRole('menuitemradio', { name: /^inherit/ }))
    expect(document.text).toBe(FILE)
  })

  test('a hex color is written in quotes; an incomplete one is not written', async () => {
    const text = '---\nname: a\ndescription: b\n---\n'
    const { document } = open(text)
    await user.click(chip('Other color'))
    const field = textbox('Hex color')
    await user.type(field, '#ff88')
    expect(document.text).toContain('color: "#ff8"\n')
    expect(screen.getByText(/three or six hex digits/)).toBeTruthy()
    await user.type(field, '00')
    expect(document.text).toBe('---\nname: a\ndescription: b\ncolor: "#ff8800"\n---\n')
    await user.click(chip('Remove color'))
    expect(document.text).toBe(text)
  })

  test('an unknown color is named with its replacement', () => {
    open('---\nname: a\ndescription: b\ncolor: magenta\n---\n')
    expect(screen.getByText(/Unknown color “magenta”\. Shown as/)).toBeTruthy()
  })

  test('effort and flags', async () => {
    const { document } = open()
    await user.click(radio('Effort', 'high'))
    expect(document.text).toContain('\r\neffort: high\r\n')
    await user.click(radio('Effort', 'default'))
    for (const [label, key] of [
      ['Read only', 'readOnly'],
      ['Background', 'background'],
      ['One shot', 'oneShot'],
      ['Skip project instructions', 'omitProjectInstructions'],
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
  test('skills are added from a menu and removed; a missing skill is marked', async () => {
    const { document } = open()
    await user.click(chip(/^Remove beta\. Skill beta not found/))
    expect(document.text).toBe(with_('alpha, beta', 'alpha'))
    await user.click(chip('Add skill'))
    await user.click(screen.getByRole('menuitem', { name: /^gamma/ }))
    expect(document.text).toBe(with_('alpha, beta', 'alpha, gamma'))
    act(() => chip('Remove gamma').focus())
    await user.keyboard('{Delete}')
    act(() => chip('Remove alpha').focus())
    await user.keyboard(' ')
    expect(document.text).toBe(with_('skills: alpha, beta\r\n', ''))
    expect(document.text).not.toContain('skills')
  })

  test('a misspelled skill is struck out, and its suggestion replaces it', async () => {
    const { document } = open(with_('alpha, beta', 'alpha, gama'))
    expect(chip(/^Remove gama\. .*Did you mean gamma\?$/).querySelector('s')?.textContent).toBe('gama')
    await user.click(chip('Replace gama with gamma'))
    expect(document.text).toBe(with_('alpha, beta', 'alpha, gamma'))
  })

  test('an invalid alias of the file is a chip with its error, and stays when another is added', async () => {
    const { document } = open(with_('skills: alpha, beta', 'aliases: ok, a:b'))
    const wrong = chip(/^Remove a:b\. .*separates a plugin/)
    expect(wrong.querySelector('s')).not.toBeNull()
    await user.click(chip('Add alias'))
    await user.type(textbox('New alias'), 'more{Enter}')
    expect(document.text).toContain('aliases: ok, a:b, more\r\n')
    await user.click(chip(/^Remove a:b/))
    expect(document.text).toContain('aliases: ok, more\r\n')
  })

  test('a server that is not connected is marked, with the nearest server', async () => {
    const { document } = open(with_('skills: alpha, beta', 'mcpServers: [githb]'))
    expect(chip(/^Remove githb\. Not connected\. Did you mean github\?$/)).toBeTruthy()
    await user.click(chip('Replace githb with github'))
    expect(document.text).toContain('mcpServers: [github]\r\n')
  })

  test('aliases are typed; an invalid alias shows an error and is not written', async () => {
    const { document } = open()
    await user.click(chip('Add alias'))
    await user.type(textbox('New alias'), 'a:b{Enter}')
    expect(document.text).toBe(FILE)
    expect(screen.getByText(/separates a plugin/)).toBeTruthy()
    await user.clear(textbox('New alias'))
    await user.type(textbox('New alias'), 'ab{Enter}')
    expect(document.text).toContain('\r\naliases: [ab]\r\n')
  })

  test('servers: all, some, none, all', async () => {
    const { document } = open()
    await user.click(chip('Add server'))
    await user.click(screen.getByRole('menuitem', { name: 'github' }))
    expect(document.text).toContain('\r\nmcpServers: [github]\r\n')
    await user.click(chip('Remove github'))
    expect(document.text).toContain('\r\nmcpServers: []\r\n')
    await user.click(chip('All connected'))
    expect(document.text).toBe(FILE)
  })

  test('inline servers are read-only and edited in the source', async () => {
    const text = '---\nname: a\ndescription: b\nmcpServers:\n  - github\n  - own: { command: x }\n---\n'
    const { onReveal } = open(text)
    expect(screen.getByText('own')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Add server' })).toBeNull()
    await user.click(chip('Line 4'))
    expect(onReveal).toHaveBeenCalled()
  })
})

describe('rarely used fields', () => {
  test('are folded until one of them is set', async () => {
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

  test('unknown keys are shown with a link to their line', async () => {
    const { document, onReveal } = open()
    expect(screen.getByText('unknown_key: {a: 1, b: [x,y]}')).toBeTruthy()
    const reveal = vi.spyOn(document, 'reveal')
    await user.click(chip('Show unknown_key in the source, line 5'))
    const [from = 0, to = 0] = reveal.mock.calls[0] ?? []
    expect(FILE.slice(from, to)).toBe('unknown_key: {a: 1,   b: [x,y]}')
    expect(onReveal).toHaveBeenCalled()
  })

  test('hooks are shown as written', () => {
    open('---\nname: a\ndescription: b\nhooks:\n  Stop:\n    - command: x\n---\n')
    expect(screen.getByText(/Stop:\s+- command: x/)).toBeTruthy()
  })
})

test('switching to the body preview and back keeps the text', async () => {
  const { document } = open()
  await user.click(radio('Body view', 'Preview'))
  expect(screen.getByRole('region', { name: 'Body preview' }).textContent).toContain('More.')
  await user.click(radio('Body view', 'Text'))
  expect(textbox(/^Body/).value).toBe('\tA body with a tab.\n---\nMore.')
  expect(document.text).toBe(FILE)
})

describe('undo', () => {
  test('in a field undoes the text, one field and focus at a time', async () => {
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

  test('in a field outside the text is the field’s own', async () => {
    const { document } = open()
    await user.type(textbox('Name'), '-2')
    await user.click(chip('Add rule for Bash'))
    await user.type(textbox('Rule for Bash'), 'ls')
    await user.keyboard('{Control>}z{/Control}')
    expect(document.text).toBe(with_('odd-one', 'odd-one-2'))
  })

  test('from the menu undoes the document', async () => {
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

  test('another document starts with fresh fields', async () => {
    const { rerender } = render(form(createDefinitionDocument(FILE)))
    await user.type(textbox('Name'), ':')
    expect(screen.getByText(/separates a plugin/)).toBeTruthy()
    rerender(form(createDefinitionDocument(FILE)))
    expect(textbox('Name').value).toBe('odd-one')
    expect(screen.queryByText(/separates a plugin/)).toBeNull()
  })

  test('an edit from elsewhere replaces typed input', async () => {
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
  await user.click(radio('Color', 'blue'))
  await user.click(chip('Read: allowed'))
  await user.click(chip('alpha'))
  for (const each of screen.queryAllByRole('switch')) await user.click(each)
  await user.keyboard('{Control>}z{/Control}')
  expect(document.text).toBe(FILE)
  expect(screen.queryByRole('button', { name: 'Add skill' })).toBeNull()
})

describe('a file that is not an agent', () => {
  test('becomes one by adding a name', async () => {
    const { document } = open('# Notes\n')
    await user.click(chip('Add name: odd'))
    expect(document.text).toBe('---\nname: odd\n---\n# Notes\n')
    expect(textbox('Name').value).toBe('odd')
  })

  test('that is unreadable links to the line', async () => {
    const { document } = open('---\nname: a\nother: [a\n')
    const reveal = vi.spyOn(document, 'reveal')
    await user.click(chip('Show line 1'))
    expect(reveal).toHaveBeenCalled()
  })
})
