/** `npm run screenshots`: takes the README's pictures of the real window at work. */
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { SECURITY_REVIEWER } from './testing/security-reviewer.ts'
import { composer, machineOfEachTest, resize, send, type TroupeWindow } from './testing/troupe-window.ts'

const IMAGES = join(import.meta.dirname, '..', 'docs', 'images')

const AGENTS: Readonly<Record<string, string>> = {
  'test-writer': 'Writes the failing test first. Use it before fixing a bug.\ncolor: green',
  refactorer: 'Changes code without changing what it does.\ncolor: orange',
  'security-reviewer': 'Reviews a change for security problems.\ncolor: pink\nreadOnly: true',
}

const AGENT_FILES = Object.fromEntries(
  Object.entries(AGENTS).map(([name, fields]) => [
    `.claude/agents/${name}.md`,
    `---\nname: ${name}\ndescription: ${fields}\n---\nYou are ${name}.\n`,
  ]),
)

const machine = machineOfEachTest()

const SCENARIO = `
name: Make retries idempotent
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - text: "Three things stand on their own here, so I split the work: one agent traces how orders are made, one writes the failing test first, one makes the change, and one looks at what could be misused."
      - tool: Agent
        input: { description: "trace the order path", subagent_type: Explore, prompt: "Trace the orders." }
      - tool: Agent
        input: { description: "failing test first", subagent_type: test-writer, prompt: "Write the failing test." }
      - tool: Agent
        input: { description: "one key per order", subagent_type: refactorer, prompt: "Give each order one key." }
      - tool: Agent
        input: { description: "what could be misused", subagent_type: security-reviewer, prompt: "Look for misuse." }
  - agent: /Trace the orders\\./
    turn: 1
    reply:
      - thinking: "First where it starts, then who calls it."
      - text: "Looking for every place that makes an order, and for who calls it."
      - tool: Glob
        input: { pattern: "**/*.js" }
      - tool: Grep
        input: { pattern: "function|=>", output_mode: content, head_limit: 20 }
  - agent: /Trace the orders\\./
    turn: 2
    reply:
      - text: "The entry point is in \`package.json:1\`. Two call sites make a key of their own, and neither keeps it:\\n\\n1. the one that retries\\n2. the one that refunds\\n\\nThe key has to be made **before** the first attempt. I read the tests that are there, to see which of them let an attempt time out; so far none does, which is why nobody saw it. Next I follow the imports from the entry point down to the place where the request leaves."
      - tool: Bash
        input: { command: "sleep 30", description: Wait }
  - agent: /Write the failing test\\./
    turn: 1
    reply:
      - text: "The test goes beside the others."
      - tool: Write
        input: { file_path: test/one-key.test.js, content: "import { test } from 'node:test'\\nimport assert from 'node:assert'\\n\\ntest('a retried order keeps its key', () => {\\n  assert.equal(1, 2)\\n})\\n" }
      - tool: Bash
        input: { command: "node --test test/one-key.test.js 2>&1 | head -12; sleep 25", description: Run the test }
  - agent: /Give each order one key\\./
    turn: 1
    reply:
      - thinking: "The key has to live with the order, so the stored orders have to be brought along before the code changes."
      - text: "The key belongs to the order. Orders that are stored already need one too, so the migration comes first."
      - tool: Bash
        input: { command: "npm run migrate -- --name order-charge-key", description: Add the column }
  - agent: /Look for misuse\\./
    turn: 1
    reply:
      - tool: Glob
        input: { pattern: "**/*" }
      - text: "Amounts are taken from the caller as they come. That is not this change, but it is next to it; I will put it into the report as a finding of its own. Checking now whether an error message can carry what a customer typed, and whether anything is written to a log on the way, before I say that the change is safe to make."
      - tool: Grep
        input: { pattern: "console\\\\.|log\\\\(", output_mode: content }
  - agent: /Look for misuse\\./
    turn: 2
    reply:
      - text: "Nothing that a customer typed reaches a log. One thing is left to look at: the key must not be guessable, since whoever knows it could ask for a refund in another's name. \`Math.random\` is not enough for that."
      - tool: Bash
        input: { command: "sleep 30", description: Wait }
  - reply: Done.
`

test('the stage at work', async () => {
  const folder = join(machine.base, 'checkout-service')
  await cp(join(import.meta.dirname, '..', 'sample', 'project'), folder, { recursive: true })
  await mkdir(join(folder, '.claude', 'agents'), { recursive: true })
  for (const [path, text] of Object.entries(AGENT_FILES)) await writeFile(join(folder, path), text)
  machine.commit(folder)
  const window = await machine.open({
    folder,
    scenario: SCENARIO,
    pace: 70,
    settings: {
      trustedFolders: [folder],
      bypassFolders: [folder],
      permissionMode: 'acceptEdits',
      theme: 'dark',
    },
  })
  const { page } = window
  await resize(window, 1440, 900)
  await send(
    page,
    'Orders are sometimes made twice when the shop retries. Find out why, fix it, cover it with tests, and have the fix reviewed.',
  )
  await expect(page.getByRole('button', { name: /^\d+ requests?/ })).toBeVisible({ timeout: 60_000 })
  await expect(page.getByText(/guessable/).first()).toBeVisible({ timeout: 60_000 })
  await mkdir(IMAGES, { recursive: true })
  await page.screenshot({ path: join(IMAGES, 'stage-dark.png') })
  await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'light'))
  await page.screenshot({ path: join(IMAGES, 'stage-light.png') })
  expect(window.errors).toEqual([])
})

/** Has a mistyped tool name, so that the picture shows a problem. */
const REVIEWER = SECURITY_REVIEWER.replace('mcp__semgrep__scan', 'Wrte')

test('an agent is edited', async () => {
  const folder = join(machine.base, 'checkout-service')
  await cp(join(import.meta.dirname, '..', 'sample', 'project'), folder, { recursive: true })
  const put = async (path: string, text: string) => {
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, text)
  }
  const agents = join(folder, '.claude', 'agents')
  for (const [name, fields] of Object.entries(AGENTS))
    await put(
      join(agents, `${name}.md`),
      `---\nname: ${name}\ndescription: ${fields}\n---\nYou are ${name}.\n`,
    )
  await put(join(agents, 'security-reviewer.md'), REVIEWER)
  await put(join(agents, 'db-expert.md'), '---\nname: db-expert\ndescription: b\ntools: 7\n---\n')
  await put(join(folder, '.claude/skills/owasp-top-ten/SKILL.md'), '---\ndescription: The ten\n---\nTen.\n')
  const own = join(machine.base, '.claude', 'agents')
  await put(join(own, 'doc-writer.md'), '---\nname: doc-writer\ndescription: Writes.\ncolor: cyan\n---\n')
  await put(join(own, 'security-reviewer.md'), '---\nname: security-reviewer\ndescription: Mine.\n---\n')
  machine.commit(folder)
  const window = await machine.open({
    folder,
    settings: { trustedFolders: [folder], access: { kind: 'rehearsal' }, theme: 'dark' },
  })
  const { page } = window
  await resize(window, 1440, 900)
  await composer(page).waitFor()
  await page.keyboard.press('Control+2')
  await page
    .getByRole('list', { name: 'Agents' })
    .getByRole('button', { name: /security-reviewer/ })
    .first()
    .click()
  await expect(page.getByText(/denied here, line 5/).first()).toBeVisible()
  await page.screenshot({ path: join(IMAGES, 'agents-dark.png') })
  expect(window.errors).toEqual([])
})

/** Two agents that change the same file in separate worktrees. */
const REVIEWED = `
name: Two worktrees
steps:
  - agent: /main agent/
    turn: 1
    reply:
      - text: "Two changes that stand on their own: each agent gets a worktree."
      - tool: Agent
        input: { description: "One key for each order", subagent_type: refactorer, prompt: "Give each order one key.", isolation: worktree }
      - tool: Agent
        input: { description: "Log every charge", subagent_type: test-writer, prompt: "Log it.", isolation: worktree }
  - agent: /Give each order one key\\./
    turn: 1
    reply: [{ tool: Bash, input: { command: "sed -i 's/const key = .*/const key = order.chargeKey/' src/charge.js && git commit -qam 'A key for each order'", description: Edit } }]
  - agent: /Log it/
    turn: 1
    reply: [{ tool: Bash, input: { command: "sed -i 's/const key = .*/const key = logged(randomUUID())/' src/charge.js", description: Edit } }]
  - agent: /main agent/
    reply: Both wait in Review.
  - reply: Done.
`

const CHARGE = `import { randomUUID } from 'node:crypto'
import { gateway, withRetry } from './gateway.js'

/** Tries again while the gateway does not answer. */
export async function charge(order, card) {
  return withRetry(() => {
    const key = randomUUID()
    return gateway.charge({ key, order, card })
  })
}
`

/** Sends a task in a checkout with `CHARGE`, which the agents answer as a scenario says. */
async function workOnCharge(scenario: string, task: string): Promise<TroupeWindow> {
  const folder = await machine.repository('checkout-service', { ...AGENT_FILES, 'src/charge.js': CHARGE })
  const trusted = { trustedFolders: [folder], bypassFolders: [folder] }
  const settings = { ...trusted, permissionMode: 'bypassPermissions', theme: 'dark' }
  const window = await machine.open({ folder, scenario, settings })
  await resize(window, 1440, 900)
  await send(window.page, task)
  return window
}

test('work is reviewed', async () => {
  const window = await workOnCharge(REVIEWED, 'Make retries idempotent, and log every charge.')
  const { page } = window
  await expect(page.getByText('Both wait in Review.').first()).toBeVisible({ timeout: 60_000 })
  await page.keyboard.press('Control+4')
  const task = page.getByText('One key for each order', { exact: true })
  await page.getByRole('option').filter({ has: task }).click()
  await expect(page.getByRole('option').filter({ hasText: /conflict with/ })).toHaveCount(1)
  await expect(page.getByText('order.chargeKey').first()).toBeVisible()
  // Colors arrive from a worker a moment later.
  await expect(page.getByRole('grid').getByText('async', { exact: true }).first()).toBeVisible()
  await page.screenshot({ path: join(IMAGES, 'review-dark.png') })
  expect(window.errors).toEqual([])
})

/** A leader and four workers, one of them in a process of its own, in the middle of nine tasks. */
const TEAMED = `
name: A team
steps:
  - agent: /You build/
    turn: 1
    reply: [{ tool: TaskUpdate, input: { task_id: "3", status: in_progress } }]
  - agent: /You build/
    turn: 2
    reply: [{ tool: SendMessage, input: { to: test-writer, message: "The key is order.chargeKey, a string of 32 hex digits. It is made once, in src/order.js." } }]
  - agent: /You build/
    turn: 3
    reply: [{ tool: Bash, input: { command: "npm run migrate -- --name order-charge-key; sleep 60", description: Add the column } }]
  - agent: /You write tests/
    turn: 1
    reply: [{ tool: TaskUpdate, input: { task_id: "4", status: in_progress } }]
  - agent: /You write tests/
    turn: 2
    reply: [{ tool: SendMessage, input: { to: api-builder, message: "Which field holds the key? My test needs its name." } }]
  - agent: /You write tests/
    turn: 3
    reply: [{ tool: Bash, input: { command: "node --test test/double-charge.test.js; sleep 60", description: Run the test } }]
  - agent: /You look for misuse/
    turn: 1
    reply: [{ tool: TaskUpdate, input: { task_id: "5", status: in_progress } }]
  - agent: /You look for misuse/
    turn: 2
    reply: [{ tool: Bash, input: { command: "npm audit --omit dev; sleep 60", description: Check the packages } }]
  - agent: /You write docs/
    turn: 1
    reply: [{ tool: TaskUpdate, input: { task_id: "1", status: completed } }]
  - agent: /You write docs/
    turn: 2
    reply: [{ tool: TaskUpdate, input: { task_id: "2", status: completed } }]
  - agent: /You write docs/
    reply: The callers are listed in docs/payments.md, and the README says how the key is made.
  - agent: /main agent/
    when: idempotent
    turn: 1
    reply:
      - { tool: TaskCreate, input: { subject: Find every caller of the gateway, description: List them. } }
      - { tool: TaskCreate, input: { subject: Describe the charge key, description: In the README. } }
      - { tool: TaskCreate, input: { subject: Move the charge key into the order, description: One key for each order. } }
      - { tool: TaskCreate, input: { subject: A failing test for the double charge, description: Before the fix. } }
      - { tool: TaskCreate, input: { subject: Check the advisories of new packages, description: Only those that ship. } }
      - { tool: TaskCreate, input: { subject: Refunds use the key of their charge, description: After the move., depends_on: ["3", "4"] } }
      - { tool: TaskCreate, input: { subject: Write the release notes, description: At the end., depends_on: ["6"] } }
      - { tool: TaskCreate, input: { subject: Remove the old key format from the fixtures, description: All of them. , depends_on: ["3"] } }
      - tool: TeamCreate
        input:
          name: idempotent-retries
          members:
            - { name: api-builder, agent: refactorer, prompt: "You build." }
            - { name: test-writer, agent: test-writer, prompt: "You write tests." }
            - { name: auditor, agent: general-purpose, prompt: "You look for misuse.", backing: pane }
            - { name: doc-writer, agent: general-purpose, prompt: "You write docs." }
  - agent: /main agent/
    reply: The team works; I keep the list.
`

test('a team works', async () => {
  test.setTimeout(120_000)
  const window = await workOnCharge(TEAMED, 'Make retries idempotent, with a team.')
  const { page } = window
  await expect(page.getByText('I keep the list.').first()).toBeVisible({ timeout: 60_000 })
  await page.keyboard.press('Control+5')
  const team = page.getByRole('listbox', { name: 'Team idempotent-retries' })
  await expect(team.getByRole('option', { name: /auditor.*npm audit/ })).toBeVisible({
    timeout: 60_000,
  })
  await expect(team.getByRole('option', { name: /doc-writer.*a message resumes it/ })).toBeVisible()
  await expect(team.getByRole('option', { name: /api-builder.*npm run migrate/ })).toBeVisible()
  await expect(team.getByRole('option', { name: /test-writer.*node --test/ })).toBeVisible()
  await page
    .getByRole('textbox', { name: /^Message to/ })
    .fill('The sandbox is slow today: use the fake gateway.')
  await page.getByRole('button', { name: /^To:/ }).click()
  await page.getByRole('menuitemradio', { name: /^All of/ }).click()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(page.getByRole('log', { name: 'Messages' })).toContainText('fake gateway')
  // Selects the task, whose lines are shown, without its details.
  await page.getByRole('option', { name: /Refunds use the key/ }).click()
  await expect(page.getByRole('dialog', { name: /Refunds use the key/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: /Refunds use the key/ })).toHaveCount(0)
  await page.screenshot({ path: join(IMAGES, 'teams-dark.png') })
  expect(window.errors).toEqual([])
})
