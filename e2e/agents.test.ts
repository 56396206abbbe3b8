/** Agent definitions in the real window: a project's definitions are listed, broken ones fixed, edits change only their bytes, and requests to the model follow them. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { agentsProject, BROKEN, REVIEWER } from './testing/agents-project.ts'
import {
  composer,
  eventually,
  expectAccessible,
  machineOfEachTest,
  picture,
  send,
  type TroupeWindow,
} from './testing/troupe-window.ts'

const SCENARIO = `
steps:
  - agent: /main agent/
    when: /review/
    reply:
      - text: I have it reviewed.
      - tool: Agent
        input: { description: Review it, subagent_type: security-reviewer, prompt: "Look at charge.js" }
  - agent: /main agent/
    when: /Look it up/
    reply:
      - tool: Agent
        input: { description: Look it up, subagent_type: no-commands, prompt: "Look into the README" }
  - agent: /Try every door/
    reply: "I tried the doors: {{task}}"
  - agent: /How to review/
    reply: "Nothing leaks."
  - reply: "Heard: {{task}}"
`

const machine = machineOfEachTest()
test.beforeEach(() => machine.scriptApi(SCENARIO))

interface Opened extends TroupeWindow {
  readonly folder: string
  file(name: string): Promise<string>
}

async function openAgents(
  files: Readonly<Record<string, string>> = agentsProject(),
  more: { readonly settings?: object; readonly environment?: Readonly<Record<string, string>> } = {},
): Promise<Opened> {
  const folder = await machine.repository('shop', files)
  const window = await machine.open({
    folder,
    settings: { trustedFolders: [folder], ...more.settings },
    environment: more.environment ?? {},
  })
  await composer(window.page).waitFor()
  await window.page.keyboard.press('Control+2')
  await list(window.page).waitFor()
  return { ...window, folder, file: (name) => readFile(join(folder, '.claude/agents', name), 'utf8') }
}

const list = (page: Page) => page.getByRole('list', { name: 'Agents' })
const row = (page: Page, name: string | RegExp) => list(page).getByRole('button', { name })
const source = (page: Page) => page.locator('.cm-content')

/** Opens a definition with the search. */
async function go(page: Page, name: string): Promise<void> {
  const search = page.getByRole('textbox', { name: 'Search agents' })
  await search.fill(name)
  await row(page, new RegExp(name)).first().click()
  await search.fill('')
}

test('thirty definitions are listed; broken ones show their line and are fixed with a click', async () => {
  const window = await openAgents()
  const { page, file } = window
  for (const broken of BROKEN) {
    await page.getByRole('textbox', { name: 'Search agents' }).fill(broken.file.replace('.md', ''))
    const found = row(page, new RegExp(broken.file.replace('.md', ''))).first()
    await expect(found, broken.file).toContainText(`line ${broken.line}`)
  }
  await page.getByRole('textbox', { name: 'Search agents' }).fill('')
  await expect(page.getByText(/\d+ agents · \d+ with problems/)).toBeVisible()

  await go(page, 'colon-in-description')
  await expect(page.getByLabel('When to use it')).toHaveValue(
    'Use this when: a test fails, and nobody knows why',
  )
  await picture(window, 'agents-01-broken')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Quote the description' }).first().click()
  await expect(source(page)).toContainText('description: "Use this when: a test fails, and nobody knows why"')
  await page.keyboard.press('Control+s')
  const [first] = BROKEN
  const wanted = first?.text.replace(/description: (.*)/, 'description: "$1"')
  await eventually(() => file('colon-in-description.md')).toBe(wanted)
  await page.getByRole('textbox', { name: 'Search agents' }).fill('colon-in')
  await expect(row(page, /colon-in-description/)).not.toContainText('line')

  await page.getByRole('textbox', { name: 'Search agents' }).fill('star-for')
  await row(page, /star-for-tools/).click()
  await page
    .getByRole('button', { name: /Quote the value of tools/ })
    .first()
    .click()
  await page.keyboard.press('Control+s')
  await eventually(() => file('star-for-tools.md')).toContain('tools: "*"\n')
  expect(window.errors).toEqual([])
})

test('the form changes only its field’s bytes, the source updates the form, and both share one undo history', async () => {
  const window = await openAgents()
  const { page, file } = window
  await go(page, 'security-reviewer')
  await picture(window, 'agents-02-editor')
  await expectAccessible(page)
  const description = page.getByLabel('When to use it')
  await description.fill('Reviews changes before they are merged.')
  await expect(source(page)).toContainText('description: Reviews changes before they are merged.')
  await page.getByRole('radio', { name: 'haiku' }).click()
  await page.keyboard.press('Control+s')
  const changed = REVIEWER.replace(
    'Reviews changes for leaks of secrets.',
    'Reviews changes before they are merged.',
  ).replace('model: opus', 'model: haiku')
  await eventually(() => file('security-reviewer.md')).toBe(changed)

  await source(page).getByText('security-reviewer').first().click()
  await page.keyboard.press('End')
  await page.keyboard.type('-2')
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('security-reviewer-2')
  await page.keyboard.press('Control+z')
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('security-reviewer')
  await description.focus()
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+z')
  await expect(source(page)).toContainText('Reviews changes for leaks of secrets.')
  await page.keyboard.press('Control+s')
  await eventually(() => file('security-reviewer.md')).toBe(REVIEWER)
  expect(window.errors).toEqual([])
})

test('a file changes on disk: a clean editor reloads, an edited one takes over other fields and asks about the same field', async () => {
  const window = await openAgents()
  const { page, folder, file } = window
  const path = join(folder, '.claude/agents/security-reviewer.md')
  await go(page, 'security-reviewer')
  await writeFile(path, REVIEWER.replace('model: opus', 'model: sonnet'))
  await expect(source(page)).toContainText('model: sonnet')

  await page.getByLabel('When to use it').fill('Mine.')
  await writeFile(path, REVIEWER.replace('The file and the line.', 'Theirs.'))
  await expect(page.getByText('Taken from disk: model, the body. Your changes are kept.')).toBeVisible()
  await expect(source(page)).toContainText('Theirs.')
  await picture(window, 'agents-03-taken-from-disk')
  await writeFile(
    path,
    REVIEWER.replace('The file and the line.', 'Theirs.').replace(
      'Reviews changes for leaks of secrets.',
      'Not mine.',
    ),
  )
  await page.getByRole('button', { name: 'Compare' }).click()
  await expect(page.getByRole('region', { name: 'description' })).toContainText('Not mine.')
  await picture(window, 'agents-04-compare')
  await expectAccessible(page)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Control+s')
  await page.keyboard.press('Control+s')
  await eventually(() => file('security-reviewer.md')).toBe(
    REVIEWER.replace('The file and the line.', 'Theirs.').replace(
      'Reviews changes for leaks of secrets.',
      'Mine.',
    ),
  )
  expect(window.errors).toEqual([])
})

test('a new agent is announced in the main agent’s next request, and a subagent has the tools it lists', async () => {
  const window = await openAgents()
  const { page } = window
  await page.keyboard.press('Control+1')
  await send(page, 'Hello')
  await expect(page.getByText('Heard: Hello').first()).toBeVisible()
  expect(JSON.stringify(machine.asked().at(-1))).not.toContain('fresh-eyes')

  await page.keyboard.press('Control+2')
  await page
    .getByRole('button', { name: /New project agent|New agent…/ })
    .first()
    .click()
  await page.getByRole('radio', { name: /^Reviewer/ }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('fresh-eyes')
  await picture(window, 'agents-05-new')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('fresh-eyes')
  await page.keyboard.press('Control+s')
  await eventually(() => readFile(join(window.folder, '.claude/agents/fresh-eyes.md'), 'utf8')).toContain(
    'fresh-eyes',
  )

  await page.keyboard.press('Control+1')
  await send(page, 'Now review it')
  await expect(page.getByText(/Heard|Nothing leaks|I have it/).first()).toBeVisible()
  await eventually(
    () => machine.asked().filter(({ system }) => system.includes('How to review')).length,
  ).toBeGreaterThan(0)
  const next = machine.asked().find((asked) => JSON.stringify(asked.messages).includes('Now review it'))
  expect(JSON.stringify(next)).toContain('fresh-eyes')
  const subagent = machine.asked().find(({ system }) => system.includes('How to review'))
  expect(subagent?.tools.map(({ name }) => name).sort()).toEqual(['Glob', 'Grep', 'Read'])
  expect(window.errors).toEqual([])
})

test('a denied tool is missing from its agent’s requests; all other tools are sent', async () => {
  const window = await openAgents()
  const { page } = window
  await page.keyboard.press('Control+1')
  await send(page, 'Look it up')
  const asked = () => machine.asked().filter(({ system }) => system.includes('Say what is written there.'))
  await eventually(() => asked().length).toBeGreaterThan(0)
  for (const { tools } of asked()) {
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['Read', 'Write', 'Edit']))
    expect(names).not.toContain('Bash')
  }
  const [main] = machine.asked()
  expect(main?.tools.map(({ name }) => name)).toContain('Bash')
  expect(window.errors).toEqual([])
})

test('a described agent is drafted by another agent, reviewed, saved, and listed in the catalog', async () => {
  const window = await openAgents(agentsProject(), { settings: { access: { kind: 'rehearsal' } } })
  const { page, folder } = window
  await page
    .getByRole('button', { name: /New project agent|New agent…/ })
    .first()
    .click()
  await page.getByRole('radio', { name: 'Description' }).click()
  const description = 'Checks database migrations: locks, and missing indexes.'
  await page.getByLabel('What should it do, and when should it be used?').fill(description)
  await picture(window, 'agents-08-describe')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Write draft' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByLabel('When to use it')).toHaveValue(description)
  const name = await page.getByLabel('Name', { exact: true }).inputValue()
  const path = join(folder, '.claude/agents', `${name}.md`)
  // Nothing is written before the draft is accepted.
  await expect(readFile(path, 'utf8')).rejects.toThrow('ENOENT')
  await expect(row(page, new RegExp(`^${name}`))).toContainText('unsaved')

  await page.keyboard.press('Control+s')
  await eventually(() => readFile(path, 'utf8').catch(() => '')).toContain(`name: ${name}\n`)
  await page.getByRole('textbox', { name: 'Search agents' }).fill(name)
  await expect(row(page, new RegExp(name))).toHaveCount(1)
  await expect(row(page, new RegExp(name))).not.toContainText(/unsaved|line/)
  expect(window.errors).toEqual([])
})

test('project shadows user shadows plugin; managed definitions are locked', async () => {
  const definition = (name: string, body: string) =>
    `---\nname: ${name}\ndescription: ${body}\n---\n${body}\n`
  const policy = join(machine.base, 'policy')
  const plugin = join(machine.base, 'release-kit')
  await mkdir(policy, { recursive: true })
  await mkdir(join(machine.base, '.claude/agents'), { recursive: true })
  await mkdir(join(plugin, 'agents'), { recursive: true })
  await writeFile(join(policy, 'compliance.md'), definition('compliance', 'The policy'))
  await writeFile(join(machine.base, '.claude/agents/reviewer.md'), definition('reviewer', 'The user’s'))
  await writeFile(join(plugin, 'agents/changelog.md'), definition('changelog', 'The plugin’s'))
  const window = await openAgents(
    {
      'README.md': '# Shop\n',
      '.claude/agents/reviewer.md': definition('reviewer', 'The project’s'),
      '.claude/agents/compliance.md': definition('compliance', 'Not this one'),
    },
    {
      settings: { plugins: [{ path: plugin, enabled: true }] },
      environment: { TROUPE_MANAGED_AGENTS: policy },
    },
  )
  const { page, folder } = window
  await expect(row(page, /release-kit:changelog/)).toBeVisible()
  await expect(row(page, /shadowed/)).toHaveCount(2)
  await row(page, /compliance.*locked|locked.*compliance/).click()
  await expect(page.getByText(/Duplicate it under another name/).first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0)
  await picture(window, 'agents-06-sources')
  await expectAccessible(page)

  // Without the project's definition, the user's one is used.
  await rm(join(folder, '.claude/agents/reviewer.md'))
  await expect(row(page, /shadowed/)).toHaveCount(1)
  expect(window.errors).toEqual([])
})

test('a draft is tried out beside the editor, and the try-out leaves nothing behind', async () => {
  const window = await openAgents()
  const { page } = window
  await go(page, 'security-reviewer')
  await page.getByLabel('When to use it').fill('Try it before it is saved.')
  await source(page).getByText('How to review').click()
  await page.keyboard.press('End')
  await page.keyboard.type(' Try every door.')
  await page.getByRole('button', { name: 'Try it…' }).click()
  await composer(page).waitFor()
  await send(page, 'The front door')
  await expect(page.getByText('I tried the doors: The front door').first()).toBeVisible()
  await picture(window, 'agents-07-try-it')
  await expectAccessible(page)
  const asked = machine.asked().at(-1)
  expect(asked?.system).toContain('Try every door.')
  expect(asked?.tools.map(({ name }) => name).sort()).toEqual(['Glob', 'Grep', 'Read'])
  await page.keyboard.press('Control+1')
  await expect(page.getByText(/Try: security-reviewer/)).toHaveCount(0)
  expect(window.errors).toEqual([])
})
