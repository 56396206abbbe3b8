import { rules } from './cases/rules.ts'
import { tryAttacks } from './try-attacks.ts'

tryAttacks(rules)
