import { expect, test } from 'vitest'
import { createConnection } from './connection.ts'
import { fakeProgram } from './testing/fake-program.ts'

test('the program is composed once, and is available only after its setup', async () => {
  const program = fakeProgram()
  const steps: string[] = []
  const connection = createConnection({
    compose: async () => {
      steps.push('composed')
      return program
    },
    onComposed: async () => {
      await Promise.resolve()
      steps.push('set up')
    },
  })
  expect(connection.existing()).toBeNull()
  expect(connection.runtime).toBeNull()
  const [first, second] = await Promise.all([connection.program(), connection.program()])
  expect(first).toBe(program)
  expect(second).toBe(program)
  expect(steps).toEqual(['composed', 'set up'])
  expect(await connection.existing()).toBe(program)
  expect(connection.runtime).toBe(program.runtime)
})

test('after a failure the next call tries again', async () => {
  const program = fakeProgram()
  let attempts = 0
  const connection = createConnection({
    compose: async () => {
      attempts += 1
      if (attempts === 1) throw new Error('no disk')
      return program
    },
    onComposed: async () => {},
  })
  await expect(connection.program()).rejects.toThrow('no disk')
  expect(connection.existing()).toBeNull()
  expect(await connection.program()).toBe(program)
  expect(attempts).toBe(2)
})
