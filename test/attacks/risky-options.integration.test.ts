import { riskyOptions } from './cases/risky-options.ts'
import { tryAttacks } from './try-attacks.ts'

tryAttacks(riskyOptions)
