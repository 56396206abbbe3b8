/** Forms in the real window: questions and a plan answered from the keyboard; then a command in the background. */
import { expect, test } from '@playwright/test'
import {
  allowOnce,
  composer,
  expectAccessible,
  machineOfEachTest,
  picture,
  send,
} from './testing/troupe-window.ts'

const machine = machineOfEachTest()

const SCENARIO = `
steps:
  - when: begin
    reply:
      - text: Two decisions are yours.
      - tool: AskUserQuestion
        input:
          questions:
            - question: Where should the charge keys be stored?
              header: Storage
              options:
                - { label: Postgres, description: "Recommended: the orders are there already, so one transaction covers both." }
                - { label: Redis, description: "Faster, but a restart without persistence loses the keys." }
                - { label: A file, description: "No dependency. Only for one process." }
            - question: Which parts should change?
              header: Parts
              multiSelect: true
              options:
                - { label: Server, description: The charge endpoint. }
                - { label: Client, description: The retry of the form. }
  - when: The user answered
    reply:
      - tool: ExitPlanMode
        input:
          plan: |
            ## Store the keys in Postgres

            1. Add the table \`charge_keys\` in \`src/charge.js\`.
            2. Make the key **once** for each order.
            3. Run \`npm test\`.
  - when: edited the plan
    reply:
      - tool: Bash
        input: { command: node server.js, run_in_background: true, description: Starts the server }
  - when: runs in the background
    reply: The server runs.
  - reply: Noted.
`

const SERVER = `require('node:http')
  .createServer((request, response) => {
    console.log(request.method, request.url)
    response.end('ok')
  })
  .listen(0, '127.0.0.1', function () {
    console.log('at port ' + this.address().port + '.')
  })
`

test('questions, a plan and a command in the background', async () => {
  const folder = await machine.repository('shop', {
    'src/charge.js': 'module.exports = 1\n',
    'server.js': SERVER,
  })
  const settings = { trustedFolders: [folder], permissionMode: 'plan', theme: 'dark' }
  const window = await machine.open({ folder, scenario: SCENARIO, settings })
  const { page } = window
  await send(page, 'begin')

  const question = page.getByRole('group', { name: 'Main agent asks you 2 questions' })
  await question.waitFor()
  await expect(page.getByRole('button', { name: /^1 request/ })).toBeVisible()
  await picture(window, 'forms-1-question')
  await expectAccessible(page)

  // The queue takes the focus, so that the keyboard answers.
  await composer(page).press('Control+Shift+P')
  const queue = page.getByRole('complementary', { name: 'Requests' })
  const asked = queue.getByRole('group', { name: 'Main agent asks you 2 questions' })
  await expect(asked).toBeFocused()
  await expect(async () => {
    await page.keyboard.press('1')
    await expect(asked.getByText('Which parts should change?')).toBeVisible({ timeout: 300 })
  }).toPass()
  await page.keyboard.press('3')
  await page.keyboard.type('The docs')
  await page.keyboard.press('Enter')
  await expect(page.getByText('2 answers')).toBeVisible()
  await expect(async () => {
    await page.keyboard.press('Escape')
    await expect(queue).toBeHidden({ timeout: 300 })
  }).toPass()

  const plan = page.getByRole('group', { name: 'Main agent has a plan for you to approve' }).first()
  await expect(plan.getByRole('listitem')).toHaveCount(3)
  await expectAccessible(page)
  await plan.getByRole('button', { name: /^Edit/ }).press('Enter')
  await plan.getByRole('textbox', { name: 'Plan' }).fill('1. Start the server first.')
  await plan.getByRole('button', { name: /^Approve, ask for each/ }).press('Enter')
  await expect(page.getByText('approved, edited')).toBeVisible()

  await allowOnce(page)
  await expect(page.getByText('The server runs.')).toBeVisible()
  await page.getByRole('button', { name: /^1 command running/ }).press('Enter')
  const list = page.getByRole('list', { name: 'Commands in the background' })
  await expect(list).toContainText(/at port \d+\./)
  const [, port] = /at port (\d+)\./.exec((await list.textContent()) ?? '') ?? []
  const orders = () => fetch(`http://127.0.0.1:${port}/orders`).then((answer) => answer.text())
  expect(await orders()).toBe('ok')
  await expect(list).toContainText('GET /orders')
  await picture(window, 'forms-5-command')
  await expectAccessible(page)
  await list.getByRole('button', { name: 'Stop Starts the server' }).press('Enter')
  await expect(list).toHaveCount(0)
  await expect(orders()).rejects.toThrow()
  await expect(page.getByText('Noted.')).toBeVisible()

  const events = await machine.events()
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['form-closed', 'command-ended']))
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'permission-mode-changed', permissionMode: 'default' }),
  )
  expect(JSON.stringify(events)).toContain("The docs (in the user's own words)")
  expect(window.errors).toEqual([])
})
