UPDATE `turns` SET `cut` = 'stop' WHERE `stopped` = 1;--> statement-breakpoint
ALTER TABLE `turns` DROP COLUMN `stopped`;