#!/usr/bin/env node
import { addExpense, balances } from './ledger.js'
import { formatAmount, parseAmount } from './money.js'
import { report } from './report.js'
import { settle } from './settle.js'
import { loadLedger, saveLedger } from './store.js'

const FILE = 'tally.json'
const USAGE = 'Usage: tally add PAYER AMOUNT WHAT PERSON[=SHARE]... | report | settle'

/** "Ana=2" is [Ana, 2]; "Ana" alone has one share. */
function parseShare(text) {
  const [person, share = '1'] = text.split('=')
  return [person, Number(share)]
}

const [command, ...args] = process.argv.slice(2)
const ledger = await loadLedger(FILE)

if (command === 'add' && args.length >= 4) {
  const [payer, amount, what, ...people] = args
  addExpense(ledger, {
    payer,
    cents: parseAmount(amount),
    what,
    shares: Object.fromEntries(people.map(parseShare)),
  })
  await saveLedger(FILE, ledger)
} else if (command === 'report') {
  console.log(report(ledger))
} else if (command === 'settle') {
  for (const { from, to, cents } of settle(balances(ledger))) {
    console.log(`${from} pays ${to} ${formatAmount(cents)}`)
  }
} else {
  console.error(USAGE)
  process.exitCode = 2
}
