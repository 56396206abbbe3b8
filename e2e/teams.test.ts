/** The view Mailbox & teams in the real window: a team works, and the user writes to a member by its name. */
import { expect, test } from '@playwright/test'
import { composer, expectAccessible, machineOfEachTest, picture, resize } from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const SCENARIO = `
steps:
  - agent: /You are the tester/
    when: The user resumed you
    reply:
      - tool: TaskUpdate
        input: { task_id: "1", status: completed, result: The test is in test/charge.test.js. }
  - agent: /You are the tester/
    when: Task 1 is completed
    reply: The test fails as it should.
  - agent: /You are the builder/
    when: Task 2 is free
    reply:
      - tool: TaskUpdate
        input: { task_id: "2", status: in_progress }
  - agent: /You are the builder/
    when: Result of task 1
    reply:
      - tool: TaskUpdate
        input: { task_id: "2", status: completed, result: Fixed in src/charge.js. }
  - agent: /You are the builder/
    when: which port
    reply: The port is 8080.
  - agent: /You are the builder/
    reply: The key moves into the order.
  - agent: /You are the tester/
    turn: 1
    reply:
      - tool: TaskUpdate
        input: { task_id: "1", status: in_progress }
  - agent: /You are the tester/
    turn: 2
    reply:
      - tool: SendMessage
        input: { to: builder, message: Is the key a string? }
  - agent: /You are the tester/
    reply:
      - tool: Bash
        input: { command: sleep 120, description: Wait }
  - agent: /main agent/
    when: begin
    turn: 1
    reply:
      - tool: TaskCreate
        input: { subject: A failing test for the double charge, description: Write it first. }
      - tool: TaskCreate
        input: { subject: Fix the double charge, description: Then fix it., depends_on: ["1"] }
      - tool: TeamCreate
        input:
          name: retries
          members:
            - { name: builder, agent: general-purpose, prompt: You are the builder. }
            - { name: tester, agent: general-purpose, prompt: You are the tester. }
  - agent: /main agent/
    reply: The team works.
`

test('a message to a member by its name resumes it, and its state is shown', async () => {
  const folder = await machine.repository('shop', { 'src/charge.js': 'module.exports = 1\n' })
  const settings = { trustedFolders: [folder], bypassFolders: [folder], permissionMode: 'bypassPermissions' }
  const window = await machine.open({ folder, scenario: SCENARIO, settings })
  const { page } = window
  await resize(window, 1440, 900)
  await composer(page).fill('begin')
  await composer(page).press('Enter')
  await expect(page.getByText('The team works.').first()).toBeVisible({ timeout: 60_000 })

  await page.keyboard.press('Control+5')
  const team = page.getByRole('listbox', { name: 'Team retries' })
  const builder = team.getByRole('option', { name: /builder/ })
  await expect(builder).toContainText('a message resumes it', { timeout: 60_000 })
  const board = page.getByRole('listbox', { name: 'Task board' })
  await expect(board.getByRole('group', { name: 'Claimed: 1' })).toContainText('tester')
  await expect(board.getByRole('group', { name: 'Waiting for others: 1' })).toContainText('#1')
  await team.focus()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await expect(page.getByText('builder has ended and resumes.')).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('m')
  await page.keyboard.type('So which port is it?')
  await page.keyboard.press('Enter')

  const messages = page.getByRole('log', { name: 'Messages' })
  await expect(messages.getByRole('article', { name: 'You' })).toContainText('answered', { timeout: 60_000 })
  await expect(messages).toContainText('So which port is it?')
  await expect(messages.getByRole('article', { name: 'builder, answer' })).toContainText('The port is 8080.')
  await expect(page.getByRole('listbox', { name: 'Threads' })).toContainText('tester')
  await picture(window, 'teams-01')
  await builder.dblclick()
  await expect(page.getByText('The port is 8080.').first()).toBeVisible()
  expect(window.errors).toEqual([])
})

test('a stuck team says why, and Resume gets its tasks done; their details tell the story', async () => {
  const folder = await machine.repository('shop', { 'src/charge.js': 'module.exports = 1\n' })
  const settings = { trustedFolders: [folder], bypassFolders: [folder], permissionMode: 'bypassPermissions' }
  const window = await machine.open({ folder, scenario: SCENARIO, settings })
  const { page } = window
  await resize(window, 1440, 900)
  await composer(page).fill('begin')
  await composer(page).press('Enter')
  await expect(page.getByText('The team works.').first()).toBeVisible({ timeout: 60_000 })
  await page.keyboard.press('Control+5')
  const board = page.getByRole('listbox', { name: 'Task board' })
  await expect(board.getByRole('group', { name: 'Claimed: 1' })).toContainText('tester')
  await expect(page.getByText('sleep 120').first()).toBeVisible({ timeout: 60_000 })

  await page.keyboard.press('Control+k')
  await page.keyboard.type('Stop all agents')
  await page.keyboard.press('Enter')
  await expect(
    page.getByText('Stuck: tester was stopped and still holds #1; #2 waits for that.'),
  ).toBeVisible({ timeout: 60_000 })
  await expect(board.getByRole('option', { name: /^#2/ })).toContainText('Blocked by #1: tester was stopped')
  await expectAccessible(page)
  await picture(window, 'teams-stuck')
  await board.getByRole('option', { name: /^#2/ }).click({ button: 'right' })
  await expect(page.getByRole('menu')).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await expect(board.getByRole('group', { name: 'Done: 2' })).toBeVisible({ timeout: 60_000 })
  await expect(page.getByText(/^Stuck/)).toHaveCount(0)
  await board.getByRole('option', { name: /^#2/ }).click()
  const second = page.getByRole('dialog', { name: '#2 Fix the double charge' })
  await expect(second.getByRole('region', { name: 'Result' })).toContainText('Fixed in src/charge.js.')
  await expectAccessible(page)
  await second.getByRole('button', { name: /#1/ }).click()
  const first = page.getByRole('dialog', { name: '#1 A failing test for the double charge' })
  await expect(first.getByRole('region', { name: 'Result' })).toContainText('test/charge.test.js')
  await expect(first.getByRole('region', { name: 'History' })).toContainText('completed it')
  await picture(window, 'teams-task')
  await page.keyboard.press('Escape')
  for (const [button, title] of [
    ['Add a worker…', 'Add a worker to retries'],
    ['End the team…', 'End the team retries?'],
  ] as const) {
    await page.getByRole('button', { name: button }).click()
    const dialog = page.getByRole('dialog', { name: title })
    await expect(dialog).toBeVisible()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
  }
  await page.getByRole('button', { name: 'Team: retries' }).click()
  await expect(page.getByRole('menu')).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await board.focus()
  await page.keyboard.press('n')
  await expect(page.getByRole('dialog', { name: 'New task' })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  expect(window.errors).toEqual([])
})
