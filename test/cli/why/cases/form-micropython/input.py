# MicroPython on pyboard (STM32F405)
from machine import mem32
DWT_CTRL = 0xE0001000
CYCCNT = 0xE0001004
mem32[CYCCNT] = 0
mem32[DWT_CTRL] |= 1
t = mem32[CYCCNT]
work()
print(mem32[CYCCNT] - t)   # prints 0
