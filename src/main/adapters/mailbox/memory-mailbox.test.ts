/** The mailbox that tests of the runtime use keeps to what the real one keeps to. */
import { describe } from 'vitest'
import { createMemoryMailbox } from '../../runtime/testing/plain-ports.ts'
import { testMailbox } from './testing/mailbox-contract.ts'

describe('a mailbox in memory', () => {
  testMailbox(async () => {
    const mailbox = createMemoryMailbox()
    return () => mailbox
  })
})
